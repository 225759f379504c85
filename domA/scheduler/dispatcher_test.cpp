// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/dispatcher.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace std::chrono_literals;

namespace {

// A worker's side of the pages.
struct Worker {
  gate::GatePage gate{};
  gate::UsagePage usage{};
  [[nodiscard]] bool open() const { return (gate.word.load() & gate::word_open) != 0; }
  [[nodiscard]] bool told_to_wake() const { return (gate.word.load() & gate::word_wake) != 0; }
};

// Two domains with a task each, in virtual time: domain 10's worker is a, domain 20's is b.
struct Bench {
  static constexpr TaskId task_a = 1, task_b = 2, nobody = 99;
  Time now{0};
  TaskId on_device = nobody;
  Dispatcher dispatcher;
  Actions last;
  std::vector<Actions::Rouse> roused;
  std::vector<TaskId> given_up;
  Worker a, b;

  explicit Bench(std::string_view policy)
      : dispatcher({.policy = policies::find(policy), .tunables = {.tick = 10ms}, .runaway = 1s}) {
    dispatcher.set_domain(10, {});
    dispatcher.set_domain(20, {.slo = 0.5});
    dispatcher.attach(task_a, 10, a.gate, a.usage, now);
    dispatcher.attach(task_b, 20, b.gate, b.usage, now);
    point();
  }
  void point() {
    last = dispatcher.point(now, on_device);
    roused.insert(roused.end(), last.rouse.begin(), last.rouse.end());
    given_up.insert(given_up.end(), last.give_up.begin(), last.give_up.end());
  }
  // The worker changed its state and rang.
  void becomes(Worker& worker, gate::Activity activity) {
    worker.usage.activity = activity;
    if (!worker.open()) worker.usage.obeyed = worker.gate.word.load();
    point();
  }
  // Time passes, with the scheduling points that were asked for.
  void wait(Nanos span) {
    Time const end = now + span;
    while (last.next <= end) {
      REQUIRE(last.next > now);
      now = last.next;
      point();
    }
    now = end;
  }
  [[nodiscard]] std::vector<policies::Reason> ends() const {
    std::vector<policies::Reason> reasons;
    for (monitor::TraceEntry const& entry : dispatcher.trace().last(100))
      reasons.push_back(entry.ended);
    return reasons;
  }
};

} // namespace

TEST_CASE("the gate of who has calls opens, and in its turn the other's") {
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
  CHECK(bench.roused.empty());
  bench.becomes(bench.b, gate::Activity::idle);
  CHECK_FALSE(bench.last.work);
}

TEST_CASE("a turn ends with its time, and the next begins when the device has drained") {
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
  bench.wait(20ms);
  bench.a.usage.sync_calls = 1'000; // 50,000 a second
  bench.becomes(bench.a, gate::Activity::waiting);
  CHECK(bench.a.told_to_wake());
  CHECK(bench.roused == std::vector<Actions::Rouse>{{10, 3}});
  bench.becomes(bench.a, gate::Activity::idle);
  bench.becomes(bench.b, gate::Activity::waiting); // makes few calls
  CHECK(bench.b.open());
  CHECK_FALSE(bench.b.told_to_wake());
  CHECK(bench.roused.size() == 1);
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
  CHECK(bench.dispatcher.reset_at() == 5ms);
  CHECK(bench.dispatcher.service(20).waited == 0ms);
}

TEST_CASE("a call that outlives its turn by the limit is given up, once a limit") {
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

TEST_CASE("of several late calls the one on the device is to blame") {
  Bench bench("none");
  bench.becomes(bench.a, gate::Activity::running);
  bench.becomes(bench.b, gate::Activity::running);
  CHECK(bench.b.open());
  bench.on_device = Bench::task_b;
  bench.dispatcher.use(*policies::find("rr")); // one of them has to stop
  Worker c;
  bench.dispatcher.set_domain(5, {});
  bench.dispatcher.attach(3, 5, c.gate, c.usage, bench.now);
  bench.becomes(c, gate::Activity::waiting);
  bench.wait(2s);
  REQUIRE_FALSE(bench.given_up.empty());
  CHECK(bench.given_up.front() == Bench::task_b);
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

TEST_CASE("another policy decides from the next point on; what runs goes on") {
  Bench bench("rr");
  bench.becomes(bench.a, gate::Activity::running);
  bench.dispatcher.use(*policies::find("accc"));
  bench.point();
  CHECK(bench.dispatcher.policy().name == "accc");
  CHECK(bench.a.open());
}
