// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/dispatcher.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string_view>
#include <vector>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

// The worker's side of the pages.
struct Worker {
  TaskId task = 0;
  gate::GatePage gate{};
  gate::UsagePage usage{};
  [[nodiscard]] bool open() const { return (gate.word.load() & gate::word_open) != 0; }
  [[nodiscard]] bool told_to_wake() const { return (gate.word.load() & gate::word_wake) != 0; }
};

// Two domains with one task each, in virtual time: a is the worker of domain 10, b that of domain 20.
struct Bench {
  static constexpr TaskId task_a = 1, task_b = 2;
  Time now{1s};
  Dispatcher dispatcher;
  Actions last;
  std::vector<Caller> boosted;
  std::vector<TaskId> given_up;
  Worker a{task_a}, b{task_b};

  explicit Bench(std::string_view policy, CpuSchedule* cpus = nullptr)
      : dispatcher({.policy = policies::find(policy),
                    .tunables = {.tick = 10ms},
                    .runaway = 1s,
                    .cpu_schedule = cpus}) {
    dispatcher.set_domain(10, {});
    dispatcher.set_domain(20, {.slo = 0.5});
    dispatcher.attach(task_a, 10, a.gate, a.usage, now);
    dispatcher.attach(task_b, 20, b.gate, b.usage, now);
    point();
  }
  void point() {
    last = dispatcher.point(now);
    boosted.insert(boosted.end(), last.boost.begin(), last.boost.end());
    given_up.insert(given_up.end(), last.give_up.begin(), last.give_up.end());
  }
  // The worker changes its state and kicks.
  void becomes(Worker& worker, gate::Activity activity) {
    worker.usage.activity = activity;
    if (!worker.open()) worker.usage.obeyed = worker.gate.word.load();
    dispatcher.kicked(worker.task);
    point();
  }
  // The worker has a kernel on the device from now on.
  void executes(Worker& worker) {
    worker.usage.executing_since_ns = static_cast<std::uint64_t>(now.time_since_epoch().count());
    becomes(worker, gate::Activity::running);
  }
  // The kernel has ended; `then` is the worker's next state.
  void finishes(Worker& worker, gate::Activity then) {
    worker.usage.device_busy_ns +=
        static_cast<std::uint64_t>(now.time_since_epoch().count()) - worker.usage.executing_since_ns;
    worker.usage.executing_since_ns = 0;
    becomes(worker, then);
  }
  void dies(TaskId task) {
    dispatcher.detach(task, now);
    point();
  }
  // Lets time pass, with the requested scheduling points.
  void wait(Nanos span) {
    Time const end = now + span;
    while (last.next <= end) {
      REQUIRE(last.next > now);
      now = last.next;
      point();
    }
    now = end;
  }
  [[nodiscard]] Nanos used(DomainId domain) {
    dispatcher.bring_up_to_date(now);
    return dispatcher.usage_since_reset(domain).device_busy;
  }
  [[nodiscard]] std::vector<policies::Reason> ends() const {
    std::vector<policies::Reason> reasons;
    for (monitor::TraceEntry const& entry : dispatcher.trace().last(100))
      reasons.push_back(entry.ended);
    return reasons;
  }
};

std::vector<std::string_view> exclusive_with_accounts() {
  std::vector<std::string_view> names;
  for (policies::Entry const& entry : policies::registry())
    if (entry.exclusive && entry.accounts) names.push_back(entry.name);
  return names;
}

} // namespace

TEST_CASE("a worker is told when its time slice ends, if others wait for that") {
  Bench bench("accc");
  bench.becomes(bench.a, gate::Activity::waiting);
  REQUIRE(bench.a.open());
  CHECK(bench.a.gate.ends_at_ns.load() == 0);
  bench.becomes(bench.a, gate::Activity::running);
  bench.becomes(bench.b, gate::Activity::waiting);
  REQUIRE(bench.a.open());
  auto const end = static_cast<std::int64_t>(bench.a.gate.ends_at_ns.load());
  CHECK(Time(Nanos(end)) > bench.now);
  CHECK(Time(Nanos(end)) <= bench.now + 10ms);
}

TEST_CASE("open gates are leased while there are scheduling points, and opened anew after a pause") {
  Bench bench(GENERATE("accc", "none"));
  bench.becomes(bench.a, gate::Activity::waiting);
  bench.becomes(bench.a, gate::Activity::running);
  auto const leased_until = [&] {
    return Time(Nanos(static_cast<std::int64_t>(bench.a.gate.lease_until_ns.load())));
  };
  for (int i = 0; i < 100; ++i) {
    bench.wait(100ms);
    REQUIRE(leased_until() >= bench.now + 500ms);
    REQUIRE(leased_until() <= bench.now + 2s);
  }
  bench.now += 5s; // pegasusd is stopped, and the worker finds its lease expired
  std::uint32_t const before = bench.a.gate.word;
  bench.a.usage.obeyed = before;
  bench.becomes(bench.a, gate::Activity::waiting);
  CHECK(bench.a.open());
  CHECK(bench.a.gate.word != before);
  CHECK(std::ranges::find(bench.last.wake, &bench.a.gate.word) != bench.last.wake.end());
  CHECK(leased_until() == bench.now + 2s);
}

TEST_CASE("no end is announced where all share") {
  Bench bench("none");
  bench.becomes(bench.a, gate::Activity::waiting);
  bench.becomes(bench.b, gate::Activity::waiting);
  CHECK(bench.a.gate.ends_at_ns.load() == 0);
}

TEST_CASE("the gate of the domain with calls opens, and in its time slice the other's") {
  Bench bench("rr");
  CHECK_FALSE(bench.last.work);
  bench.becomes(bench.a, gate::Activity::waiting);
  CHECK(bench.a.open());
  CHECK(bench.last.wake == std::vector<std::atomic<std::uint32_t>*>{&bench.a.gate.word});
  CHECK(bench.dispatcher.running(10));
  CHECK(bench.last.work);
  bench.becomes(bench.b, gate::Activity::waiting);
  CHECK_FALSE(bench.b.open());
  CHECK(bench.last.wake.empty());
  bench.becomes(bench.a, gate::Activity::idle);
  CHECK(bench.b.open());
  CHECK_FALSE(bench.a.open());
  CHECK(bench.boosted.empty());
  bench.becomes(bench.b, gate::Activity::idle);
  CHECK_FALSE(bench.last.work);
}

TEST_CASE("a time slice ends with its time, and the next begins when the device has drained") {
  Bench bench("rr");
  bench.becomes(bench.a, gate::Activity::running);
  bench.becomes(bench.b, gate::Activity::waiting);
  bench.wait(9ms);
  CHECK(bench.a.open());
  bench.wait(1ms);
  CHECK_FALSE(bench.a.open());
  CHECK_FALSE(bench.b.open()); // a's last call still runs
  CHECK_FALSE(bench.dispatcher.running(20));
  bench.wait(7ms);
  CHECK_FALSE(bench.b.open());
  bench.becomes(bench.a, gate::Activity::waiting);
  CHECK(bench.b.open());
  CHECK(bench.ends().back() == policies::Reason::slice_end);
}

TEST_CASE(
    "an interactive domain is woken when its gate opens: by its worker, and on the vCPU it called from") {
  Bench bench("fair");
  bench.a.usage.last_vcpu = 3;
  bench.becomes(bench.a, gate::Activity::running);
  bench.wait(5ms);
  bench.a.usage.sync_calls = 1'000; // 200,000 in a second of service
  bench.becomes(bench.a, gate::Activity::idle);
  bench.wait(20s);
  bench.becomes(bench.a, gate::Activity::waiting);
  CHECK(bench.a.told_to_wake());
  CHECK(bench.boosted == std::vector<Caller>{{10, 3}});
  bench.becomes(bench.a, gate::Activity::idle);
  bench.becomes(bench.b, gate::Activity::waiting); // makes few calls
  CHECK(bench.b.open());
  CHECK_FALSE(bench.b.told_to_wake());
  CHECK(bench.boosted.size() == 1);
}

TEST_CASE("waiting at a closed gate is counted") {
  Bench bench("rr");
  bench.becomes(bench.a, gate::Activity::running);
  bench.becomes(bench.b, gate::Activity::waiting);
  bench.wait(5ms);
  bench.dispatcher.bring_up_to_date(bench.now);
  CHECK(bench.dispatcher.service(20).waited == 5ms);
  CHECK(bench.dispatcher.service(10).waited == 0ms);
  bench.dispatcher.reset_statistics(bench.now);
  CHECK(bench.dispatcher.reset_at() == Time{1005ms});
  CHECK(bench.dispatcher.service(20).waited == 0ms);
}

TEST_CASE("a domain that is away does not wait") {
  Bench bench("rr");
  bench.becomes(bench.a, gate::Activity::running);
  bench.becomes(bench.b, gate::Activity::waiting);
  bench.wait(5ms);
  bench.dies(Bench::task_b);
  bench.wait(1s);
  bench.dispatcher.attach(3, 20, bench.b.gate, bench.b.usage, bench.now);
  bench.point();
  CHECK(bench.dispatcher.service(20).waited == 5ms);
}

TEST_CASE("a point looks at the tasks that kicked and at those that have the device") {
  Bench bench("rr");
  bench.executes(bench.a);
  bench.b.usage.activity = gate::Activity::waiting; // and does not kick
  bench.b.usage.device_busy_ns = 1'000;
  bench.wait(50ms);
  CHECK(bench.a.open());
  CHECK(bench.last.work);
  bench.dispatcher.kicked(Bench::task_b);
  bench.point();
  bench.wait(10ms);
  CHECK_FALSE(bench.a.open());
  bench.dispatcher.kicked(99); // unknown task
  bench.point();
}

TEST_CASE("the task on the device is known at any moment, also where no time slice ends") {
  for (std::string_view const policy : {"none", "rr"}) {
    INFO(policy);
    Bench bench(policy);
    bench.becomes(bench.a, gate::Activity::running);
    bench.a.usage.last_vcpu = 3;
    CHECK(bench.dispatcher.on_device().empty());
    bench.a.usage.executing_since_ns = 1; // it does not kick for that
    CHECK(bench.dispatcher.on_device() == std::vector<Caller>{{10, 3}});
  }
}

TEST_CASE("on a CPU is the vCPU that the domain's next call comes from") {
  struct Cpus final : CpuSchedule {
    void fill(policies::DomainView& view, Time) override { view.running_on_cpu = view.calling_vcpu == 2; }
  } cpus;
  Bench bench("augc", &cpus);
  for (Worker* const worker : {&bench.a, &bench.b})
    bench.becomes(*worker, gate::Activity::waiting);
  REQUIRE(bench.a.open());
  bench.b.usage.last_vcpu = 2;
  bench.becomes(bench.b, gate::Activity::waiting);
  bench.wait(10ms); // augc chooses again
  bench.becomes(bench.a, gate::Activity::waiting);
  CHECK(bench.b.open());
}

TEST_CASE("a call that outlives its time slice by the limit is given up, once a limit") {
  Bench bench("rr");
  bench.becomes(bench.a, gate::Activity::running);
  bench.becomes(bench.b, gate::Activity::waiting);
  bench.wait(10ms + 999ms);
  CHECK(bench.given_up.empty());
  bench.wait(21ms);
  CHECK(bench.given_up == std::vector{Bench::task_a});
  bench.wait(500ms); // it is being ended
  CHECK(bench.given_up.size() == 1);
  bench.dispatcher.detach(Bench::task_a, bench.now);
  bench.point();
  CHECK(bench.b.open());
}

TEST_CASE("of several late calls the one that executes is to blame") {
  Bench bench("none");
  bench.becomes(bench.a, gate::Activity::running); // waits for the device
  bench.executes(bench.b);
  CHECK(bench.b.open());
  bench.dispatcher.use({policies::find("rr"), {}}, bench.now); // one of them must stop
  Worker c{3};
  bench.dispatcher.set_domain(5, {});
  bench.dispatcher.attach(3, 5, c.gate, c.usage, bench.now);
  bench.becomes(c, gate::Activity::waiting);
  bench.wait(2s);
  REQUIRE_FALSE(bench.given_up.empty());
  CHECK(bench.given_up.front() == Bench::task_b);
}

TEST_CASE("where no time slice ends, a task that executes for longer than the limit while others wait is "
          "given up") {
  Bench bench("none");
  bench.executes(bench.a);
  bench.wait(3s);
  CHECK(bench.given_up.empty()); // no other domain waits
  bench.becomes(bench.b, gate::Activity::running);
  bench.wait(1100ms);
  CHECK(bench.given_up == std::vector{Bench::task_a});
}

TEST_CASE("a kernel is charged to the task that launched it only, also when that is killed") {
  for (std::string_view const policy : exclusive_with_accounts()) {
    INFO(policy);
    Bench bench(policy);
    bench.executes(bench.a);
    bench.becomes(bench.b, gate::Activity::waiting);
    Time const began = bench.now;
    bench.wait(1200ms); // it does not end and is given up
    CHECK(bench.given_up == std::vector{Bench::task_a});
    CHECK(bench.used(10) == 1200ms);
    bench.dies(Bench::task_a);
    CHECK(bench.used(10) == bench.now - began);
    CHECK(bench.used(20) == 0ms);
    CHECK(bench.dispatcher.conduct(10).killed == 1);
    // The other domain has its whole time slice, from now on.
    REQUIRE(bench.b.open());
    bench.executes(bench.b);
    bench.wait(5ms);
    CHECK(bench.b.open());
    CHECK(bench.used(20) == 5ms);
  }
}

TEST_CASE("a drain is not taken off the next one's time slice") {
  Bench bench("rr");
  bench.executes(bench.a);
  bench.becomes(bench.b, gate::Activity::waiting);
  bench.wait(17ms); // a's kernel exceeds its time slice
  bench.finishes(bench.a, gate::Activity::waiting);
  REQUIRE(bench.b.open());
  bench.executes(bench.b);
  bench.wait(9999us);
  CHECK(bench.b.open());
  bench.wait(1us);
  CHECK_FALSE(bench.b.open());
}

TEST_CASE("a killed task's domain keeps the debt: for a new task, under another policy, after a while") {
  for (std::string_view const policy : exclusive_with_accounts()) {
    INFO(policy);
    Bench bench(policy);
    bench.executes(bench.a);
    bench.becomes(bench.b, gate::Activity::waiting);
    bench.wait(1200ms);
    bench.dies(Bench::task_a);
    REQUIRE(bench.b.open());
    bench.executes(bench.b);
    CHECK(bench.dispatcher.conduct(10).debt > 500ms);
    bench.wait(20ms);
    for (std::string_view const next : {"none", "accc", "fair", "augc"}) {
      bench.dispatcher.use({policies::find(next), {}}, bench.now);
      bench.point();
      INFO(next);
      CHECK(bench.dispatcher.conduct(10).debt > 400ms);
    }
    Worker again{3};
    bench.dispatcher.attach(3, 10, again.gate, again.usage, bench.now);
    bench.becomes(again, gate::Activity::waiting);
    bench.wait(500ms);
    CHECK_FALSE(again.open());
    bench.wait(1s);
    bench.finishes(bench.b, gate::Activity::idle);
    bench.wait(1s); // the debt is paid
    CHECK(again.open());
  }
}

TEST_CASE("a switch of the policy in the middle of a drain forgets nothing of it") {
  for (std::string_view const next : exclusive_with_accounts()) {
    INFO(next);
    Bench bench("accc");
    bench.executes(bench.a);
    bench.becomes(bench.b, gate::Activity::waiting);
    bench.wait(400ms);
    bench.dispatcher.use({policies::find(next), {}}, bench.now);
    bench.point();
    CHECK_FALSE(bench.b.open());
    bench.wait(300ms);
    bench.finishes(bench.a, gate::Activity::waiting);
    CHECK(bench.b.open());
    bench.executes(bench.b);
    CHECK(bench.dispatcher.conduct(10).debt > 300ms);
  }
}

TEST_CASE("a domain that keeps others waiting beyond its time slice is kept from an idle device as long") {
  Bench bench("accc");
  bench.executes(bench.a);
  bench.becomes(bench.b, gate::Activity::waiting);
  bench.wait(60ms); // 50 of them beyond its time slice
  bench.finishes(bench.a, gate::Activity::waiting);
  bench.becomes(bench.b, gate::Activity::idle); // pauses for a moment
  CHECK_FALSE(bench.a.open());
  CHECK(bench.dispatcher.conduct(10).barred_until == bench.now + 50ms);
  bench.wait(49ms);
  CHECK_FALSE(bench.a.open());
  bench.wait(1ms);
  CHECK(bench.a.open());
}

TEST_CASE("a kernel that is longer than its time slice is allowed while no other domain waits") {
  Bench bench("accc");
  bench.executes(bench.a);
  bench.wait(10s);
  bench.finishes(bench.a, gate::Activity::waiting);
  CHECK(bench.a.open());
  CHECK(bench.given_up.empty());
  bench.executes(bench.a);
  bench.wait(100ms);
  CHECK(bench.used(10) == 10100ms);
}

TEST_CASE("one task of a domain is on the device at a time, and they share its time slice") {
  for (std::string_view const policy : exclusive_with_accounts()) {
    INFO(policy);
    Bench bench(policy);
    Worker second{3};
    bench.dispatcher.attach(3, 10, second.gate, second.usage, bench.now);
    bench.executes(bench.a);
    REQUIRE(bench.a.open());
    bench.becomes(second, gate::Activity::waiting);
    CHECK_FALSE(second.open());
    bench.wait(3ms); // its slice is over, its kernel is not
    CHECK_FALSE(bench.a.open());
    CHECK_FALSE(second.open());
    bench.finishes(bench.a, gate::Activity::waiting);
    CHECK(second.open());
    CHECK_FALSE(bench.a.open());
    bench.becomes(second, gate::Activity::idle);
    CHECK(bench.a.open());
  }
}

TEST_CASE("programs of one domain never have each other killed") {
  Bench bench("accc");
  Worker second{3};
  bench.dispatcher.attach(3, 10, second.gate, second.usage, bench.now);
  bench.executes(bench.a);
  bench.becomes(second, gate::Activity::waiting);
  bench.wait(30s);
  CHECK(bench.given_up.empty());
  bench.becomes(bench.b, gate::Activity::waiting); // another domain waits, from now on
  bench.wait(900ms);
  CHECK(bench.given_up.empty());
  bench.wait(200ms);
  CHECK(bench.given_up == std::vector{Bench::task_a});
}

TEST_CASE("under a shared policy the domains with calls are known from the next kick on, of any task") {
  Bench bench("none");
  bench.a.usage.activity = gate::Activity::running; // its gate is open: it does not kick
  bench.now += 2ms;
  bench.becomes(bench.b, gate::Activity::idle);
  CHECK(bench.last.work);
}

TEST_CASE("under a shared policy every task runs") {
  Bench bench("none");
  Worker second{3};
  bench.dispatcher.attach(3, 10, second.gate, second.usage, bench.now);
  bench.point();
  CHECK((bench.a.open() && bench.b.open() && second.open()));
}

TEST_CASE("the manner of calls under a policy is that of tasks that come later, too") {
  Bench bench("timeslice-engaged");
  CHECK(bench.a.gate.engaged == 1);
  bench.dispatcher.use({policies::find("accc"), {}}, bench.now);
  CHECK(bench.a.gate.engaged == 0);
  CHECK(bench.a.gate.guest_polls == 0);
  bench.dispatcher.use({policies::find("credit-poll"), {}}, bench.now);
  CHECK(bench.a.gate.guest_polls == 1);
  Worker late{3};
  bench.dispatcher.attach(3, 10, late.gate, late.usage, bench.now);
  CHECK(late.gate.guest_polls == 1);
  bench.dispatcher.use({policies::find("accc"), {}}, bench.now);
  CHECK((bench.a.gate.guest_polls == 0 && late.gate.guest_polls == 0));
}

TEST_CASE("where accounts are kept, a shared device is shared fairly among the tasks of a domain, too") {
  Bench bench("dfq");
  Worker c{.task = 3}; // beside b
  bench.dispatcher.attach(c.task, 20, c.gate, c.usage, bench.now);
  for (Worker* const worker : {&bench.b, &c})
    bench.becomes(*worker, gate::Activity::running);
  CHECK((bench.a.open() && bench.b.open() && c.open()));
  bench.executes(bench.b);
  bench.wait(15ms);
  bench.finishes(bench.b, gate::Activity::running);
  bench.wait(5ms);
  CHECK((bench.a.open() && !bench.b.open() && c.open())); // b is 15 ms ahead of c
  bench.executes(c);
  bench.wait(8ms);
  bench.finishes(c, gate::Activity::running);
  bench.wait(5ms);
  CHECK((bench.a.open() && bench.b.open() && c.open()));
}

TEST_CASE("an idle accelerator is one line of the log for as long as it lasts") {
  Bench bench("accc");
  bench.becomes(bench.a, gate::Activity::waiting);
  bench.becomes(bench.a, gate::Activity::idle);
  std::uint64_t const before = bench.dispatcher.trace().recorded();
  bench.wait(30s);
  CHECK(bench.dispatcher.trace().recorded() == before);
  bench.becomes(bench.a, gate::Activity::waiting);
  REQUIRE(bench.dispatcher.trace().recorded() == before + 1);
  CHECK(bench.dispatcher.trace().last(1).front().ran == 30s);
}

TEST_CASE("a departure in the middle of a drain does not keep the others waiting") {
  Bench bench("rr");
  bench.becomes(bench.a, gate::Activity::running);
  bench.becomes(bench.b, gate::Activity::waiting);
  bench.wait(12ms);
  CHECK_FALSE(bench.b.open());
  bench.dispatcher.detach(Bench::task_a, bench.now);
  bench.point();
  CHECK(bench.b.open());
}

TEST_CASE("what is set of a policy counts from the switch on") {
  Bench bench("fair");
  bench.dispatcher.use({policies::find("fair"), {.host_weight = 0, .slice = 2ms}}, bench.now);
  bench.executes(bench.a);
  bench.a.usage.host_busy_ns = 1'000'000;
  bench.becomes(bench.b, gate::Activity::waiting);
  bench.wait(1999us);
  CHECK(bench.a.open());
  bench.wait(1us);
  CHECK_FALSE(bench.a.open());
  CHECK(bench.dispatcher.tunables().slice == 2ms);
}

TEST_CASE("another policy decides from the next point on; what runs goes on") {
  Bench bench("rr");
  bench.becomes(bench.a, gate::Activity::running);
  bench.dispatcher.use({policies::find("accc"), {}}, bench.now);
  bench.point();
  CHECK(bench.dispatcher.policy().name == "accc");
  CHECK(bench.a.open());
}
