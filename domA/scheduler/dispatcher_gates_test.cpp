// SPDX-License-Identifier: Apache-2.0
// The dispatcher: which gates are open, until when, and what a scheduling point looks at.
#include "domA/scheduler/testing/two_domains.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;

TEST_CASE("a worker is told when its time slice ends, if others wait for that") {
  TwoDomains fixture("accc");
  fixture.becomes(fixture.a, gate::Activity::waiting);
  REQUIRE(fixture.a.open());
  CHECK(fixture.a.gate.ends_at_ns.load() == 0);
  fixture.becomes(fixture.a, gate::Activity::running);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  REQUIRE(fixture.a.open());
  auto const end = static_cast<std::int64_t>(fixture.a.gate.ends_at_ns.load());
  CHECK(Time(Nanos(end)) > fixture.now);
  CHECK(Time(Nanos(end)) <= fixture.now + 10ms);
}

TEST_CASE("open gates are leased while there are scheduling points, and opened anew after a pause") {
  TwoDomains fixture(GENERATE("accc", "none"));
  fixture.becomes(fixture.a, gate::Activity::waiting);
  fixture.becomes(fixture.a, gate::Activity::running);
  auto const leased_until = [&] {
    return Time(Nanos(static_cast<std::int64_t>(fixture.a.gate.lease_until_ns.load())));
  };
  for (int i = 0; i < 100; ++i) {
    fixture.wait(100ms);
    REQUIRE(leased_until() >= fixture.now + 500ms);
    REQUIRE(leased_until() <= fixture.now + 2s);
  }
  fixture.now += 5s; // pegasusd is stopped, and the worker finds its lease expired
  std::uint32_t const before = fixture.a.gate.word;
  fixture.a.usage.obeyed = before;
  fixture.becomes(fixture.a, gate::Activity::waiting);
  CHECK(fixture.a.open());
  CHECK(fixture.a.gate.word != before);
  CHECK(std::ranges::find(fixture.last.wake, &fixture.a.gate.word) != fixture.last.wake.end());
  CHECK(leased_until() == fixture.now + 2s);
}

TEST_CASE("a worker is told how long its pieces may be while another domain's request is expected") {
  TwoDomains fixture("eevdf");
  fixture.dispatcher.set_domain(20, {.latency_slice = 200us});
  fixture.becomes(fixture.a, gate::Activity::waiting);
  fixture.becomes(fixture.a, gate::Activity::running);
  REQUIRE(fixture.a.open());
  // its requests are not known yet: it is expected at once
  CHECK(fixture.a.gate.longest_piece_ns.load() == 200'000);
  auto const from = Time(Nanos(static_cast<std::int64_t>(fixture.a.gate.pieces_from_ns.load())));
  CHECK(from <= fixture.now);
  fixture.wait(2s); // it does not call
  CHECK(fixture.a.gate.longest_piece_ns.load() == 0);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  fixture.wait(20ms);
  fixture.becomes(fixture.a, gate::Activity::waiting); // obeys
  REQUIRE(fixture.b.open());
  CHECK(fixture.b.gate.longest_piece_ns.load() == 0);
}

TEST_CASE("no end is announced where all share") {
  TwoDomains fixture("none");
  fixture.becomes(fixture.a, gate::Activity::waiting);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  CHECK(fixture.a.gate.ends_at_ns.load() == 0);
}

TEST_CASE("the gate of the domain with calls opens, and in its time slice the other's") {
  TwoDomains fixture("rr");
  CHECK_FALSE(fixture.last.work);
  fixture.becomes(fixture.a, gate::Activity::waiting);
  CHECK(fixture.a.open());
  CHECK(fixture.last.wake == std::vector<std::atomic<std::uint32_t>*>{&fixture.a.gate.word});
  CHECK(fixture.dispatcher.running(10));
  CHECK(fixture.last.work);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  CHECK_FALSE(fixture.b.open());
  CHECK(fixture.last.wake.empty());
  fixture.becomes(fixture.a, gate::Activity::idle);
  CHECK(fixture.b.open());
  CHECK_FALSE(fixture.a.open());
  CHECK(fixture.boosted.empty());
  fixture.becomes(fixture.b, gate::Activity::idle);
  CHECK_FALSE(fixture.last.work);
}

TEST_CASE("a time slice ends with its time, and the next begins when the device has drained") {
  TwoDomains fixture("rr");
  fixture.becomes(fixture.a, gate::Activity::running);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  fixture.wait(9ms);
  CHECK(fixture.a.open());
  fixture.wait(1ms);
  CHECK_FALSE(fixture.a.open());
  CHECK_FALSE(fixture.b.open()); // a's last call still runs
  CHECK_FALSE(fixture.dispatcher.running(20));
  fixture.wait(7ms);
  CHECK_FALSE(fixture.b.open());
  fixture.becomes(fixture.a, gate::Activity::waiting);
  CHECK(fixture.b.open());
  CHECK(fixture.ends().back() == policies::Reason::slice_end);
}

TEST_CASE(
    "an interactive domain is woken when its gate opens: by its worker, and on the vCPU it called from") {
  TwoDomains fixture("fair");
  fixture.a.usage.last_vcpu = 3;
  fixture.becomes(fixture.a, gate::Activity::running);
  fixture.wait(5ms);
  fixture.a.usage.sync_calls = 1'000; // 200,000 in a second of service
  fixture.becomes(fixture.a, gate::Activity::idle);
  fixture.wait(20s);
  fixture.becomes(fixture.a, gate::Activity::waiting);
  CHECK(fixture.a.told_to_wake());
  CHECK(fixture.boosted == std::vector<Caller>{{10, 3}});
  fixture.becomes(fixture.a, gate::Activity::idle);
  fixture.becomes(fixture.b, gate::Activity::waiting); // makes few calls
  CHECK(fixture.b.open());
  CHECK_FALSE(fixture.b.told_to_wake());
  CHECK(fixture.boosted.size() == 1);
}

TEST_CASE("waiting at a closed gate is counted") {
  TwoDomains fixture("rr");
  fixture.becomes(fixture.a, gate::Activity::running);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  fixture.wait(5ms);
  fixture.dispatcher.bring_up_to_date(fixture.now);
  CHECK(fixture.dispatcher.service(20).waited == 5ms);
  CHECK(fixture.dispatcher.service(10).waited == 0ms);
  fixture.dispatcher.reset_statistics(fixture.now);
  CHECK(fixture.dispatcher.reset_at() == Time{1005ms});
  CHECK(fixture.dispatcher.service(20).waited == 0ms);
}

TEST_CASE("what a domain wants is counted where no gate closes and no worker kicks, too") {
  TwoDomains fixture("none");
  fixture.wait(2s);
  auto const wanted = [&] { return fixture.dispatcher.service(10).wanted; };
  fixture.a.usage.activity = gate::Activity::running;
  fixture.wait(1s); // seen by then
  Nanos const before = wanted();
  fixture.wait(500ms);
  CHECK(wanted() - before >= 490ms);
  fixture.a.usage.activity = gate::Activity::idle;
  fixture.wait(1s);
  CHECK(wanted() - before <= 520ms);
  CHECK(fixture.last.next - fixture.now > 100ms); // no domain uses it: no looks
}

TEST_CASE("a domain that is away does not wait") {
  TwoDomains fixture("rr");
  fixture.becomes(fixture.a, gate::Activity::running);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  fixture.wait(5ms);
  fixture.dies(TwoDomains::task_b);
  fixture.wait(1s);
  fixture.dispatcher.attach(3, 20, fixture.b.gate, fixture.b.usage, fixture.now);
  fixture.point();
  CHECK(fixture.dispatcher.service(20).waited == 5ms);
}

TEST_CASE("a point looks at the tasks that kicked and at those that have the device") {
  TwoDomains fixture("rr");
  fixture.executes(fixture.a);
  fixture.b.usage.activity = gate::Activity::waiting; // and does not kick
  fixture.b.usage.device_busy_ns = 1'000;
  fixture.wait(50ms);
  CHECK(fixture.a.open());
  CHECK(fixture.last.work);
  fixture.dispatcher.kicked(TwoDomains::task_b);
  fixture.point();
  fixture.wait(10ms);
  CHECK_FALSE(fixture.a.open());
  fixture.dispatcher.kicked(99); // unknown task
  fixture.point();
}

TEST_CASE("the task on the device is known at any moment, also where no time slice ends") {
  for (std::string_view const policy : {"none", "rr"}) {
    INFO(policy);
    TwoDomains fixture(policy);
    fixture.becomes(fixture.a, gate::Activity::running);
    fixture.a.usage.last_vcpu = 3;
    CHECK(fixture.dispatcher.on_device().empty());
    fixture.a.usage.executing_since_ns = 1; // it does not kick for that
    CHECK(fixture.dispatcher.on_device() == std::vector<Caller>{{10, 3}});
  }
}

TEST_CASE("on a CPU is the vCPU that the domain's next call comes from") {
  struct Cpus final : CpuSchedule {
    std::map<DomainId, std::uint32_t> asked; // vCPUs
    policies::CpuState read(Caller const& caller, Time) override {
      asked[caller.domain] = caller.vcpu;
      return {.running = caller.vcpu == 2};
    }
  } cpus;
  TwoDomains fixture("augc", &cpus);
  for (Worker* const worker : {&fixture.a, &fixture.b})
    fixture.becomes(*worker, gate::Activity::waiting);
  REQUIRE(fixture.a.open());
  fixture.b.usage.last_vcpu = 2;
  fixture.becomes(fixture.b, gate::Activity::waiting);
  CHECK(cpus.asked == std::map<DomainId, std::uint32_t>{{10, 0}, {20, 2}});
  fixture.wait(10ms); // augc chooses again
  fixture.becomes(fixture.a, gate::Activity::waiting);
  CHECK(fixture.b.open());
}

TEST_CASE("an idle accelerator is one line of the log for as long as it lasts") {
  TwoDomains fixture("accc");
  fixture.becomes(fixture.a, gate::Activity::waiting);
  fixture.becomes(fixture.a, gate::Activity::idle);
  std::uint64_t const before = fixture.dispatcher.trace().recorded();
  fixture.wait(30s);
  CHECK(fixture.dispatcher.trace().recorded() == before);
  fixture.becomes(fixture.a, gate::Activity::waiting);
  REQUIRE(fixture.dispatcher.trace().recorded() == before + 1);
  CHECK(fixture.dispatcher.trace().last(1).front().ran == 30s);
}

TEST_CASE("a departure in the middle of a drain does not keep the others waiting") {
  TwoDomains fixture("rr");
  fixture.becomes(fixture.a, gate::Activity::running);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  fixture.wait(12ms);
  CHECK_FALSE(fixture.b.open());
  fixture.dispatcher.detach(TwoDomains::task_a, fixture.now);
  fixture.point();
  CHECK(fixture.b.open());
}
