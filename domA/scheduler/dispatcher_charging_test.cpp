// SPDX-License-Identifier: Apache-2.0
// The dispatcher: what is charged to which domain, and what becomes of debts.
#include "domA/scheduler/testing/two_domains.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;

TEST_CASE("a kernel is charged to the task that launched it only, also when that is killed") {
  for (std::string_view const policy : exclusive_with_accounts()) {
    INFO(policy);
    TwoDomains fixture(policy);
    fixture.executes(fixture.a);
    fixture.becomes(fixture.b, gate::Activity::waiting);
    Time const began = fixture.now;
    fixture.wait(1200ms); // it does not end and is given up
    CHECK(fixture.given_up == std::vector{TwoDomains::task_a});
    CHECK(fixture.used(10) == 1200ms);
    fixture.dies(TwoDomains::task_a);
    CHECK(fixture.used(10) == fixture.now - began);
    CHECK(fixture.used(20) == 0ms);
    CHECK(fixture.dispatcher.conduct(10).killed == 1);
    // The other domain has its whole time slice, from now on.
    REQUIRE(fixture.b.open());
    fixture.executes(fixture.b);
    fixture.wait(5ms);
    CHECK(fixture.b.open());
    CHECK(fixture.used(20) == 5ms);
  }
}

TEST_CASE("what the host computes for a task is charged while it goes on, also when the task is killed") {
  TwoDomains fixture("accc");
  fixture.becomes(fixture.a, gate::Activity::running);
  fixture.a.usage.host_call_began_ns = 3'000'000;
  fixture.cpu.used = 3ms;
  fixture.becomes(fixture.a, gate::Activity::on_host); // it gave its gate back
  auto const host = [&] {
    fixture.dispatcher.bring_up_to_date(fixture.now);
    return fixture.dispatcher.usage_since_reset(10).host_busy;
  };
  for (int step = 1; step <= 50; ++step) {
    fixture.cpu.used += 10ms;
    fixture.wait(10ms);
    CHECK(host() >= (step - 1) * 10ms);
  }
  CHECK(host() <= 500ms);
  fixture.cpu = {}; // its process is gone
  fixture.dies(TwoDomains::task_a);
  CHECK(host() >= 490ms);
  CHECK(host() <= 500ms);
}

TEST_CASE("a drain is not taken off the next one's time slice") {
  TwoDomains fixture("rr");
  fixture.executes(fixture.a);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  fixture.wait(17ms); // a's kernel exceeds its time slice
  fixture.finishes(fixture.a, gate::Activity::waiting);
  REQUIRE(fixture.b.open());
  fixture.executes(fixture.b);
  fixture.wait(9999us);
  CHECK(fixture.b.open());
  fixture.wait(1us);
  CHECK_FALSE(fixture.b.open());
}

TEST_CASE("a killed task's domain keeps the debt: for a new task, under another policy, after a while") {
  for (std::string_view const policy : exclusive_with_accounts()) {
    INFO(policy);
    TwoDomains fixture(policy);
    fixture.executes(fixture.a);
    fixture.becomes(fixture.b, gate::Activity::waiting);
    fixture.wait(1200ms);
    fixture.dies(TwoDomains::task_a);
    REQUIRE(fixture.b.open());
    fixture.executes(fixture.b);
    CHECK(fixture.dispatcher.conduct(10).debt > 500ms);
    fixture.wait(20ms);
    for (std::string_view const next : {"none", "accc", "fair", "augc"}) {
      fixture.dispatcher.use({policies::find(next), {}}, fixture.now);
      fixture.point();
      INFO(next);
      CHECK(fixture.dispatcher.conduct(10).debt > 400ms);
    }
    Worker again{3};
    fixture.dispatcher.attach(3, 10, again.gate, again.usage, fixture.now);
    fixture.becomes(again, gate::Activity::waiting);
    fixture.wait(500ms);
    CHECK_FALSE(again.open());
    fixture.wait(1s);
    fixture.finishes(fixture.b, gate::Activity::idle);
    fixture.wait(1s); // the debt is paid
    CHECK(again.open());
  }
}

TEST_CASE("a switch of the policy in the middle of a drain forgets nothing of it") {
  for (std::string_view const next : exclusive_with_accounts()) {
    INFO(next);
    TwoDomains fixture("accc");
    fixture.executes(fixture.a);
    fixture.becomes(fixture.b, gate::Activity::waiting);
    fixture.wait(400ms);
    fixture.dispatcher.use({policies::find(next), {}}, fixture.now);
    fixture.point();
    CHECK_FALSE(fixture.b.open());
    fixture.wait(300ms);
    fixture.finishes(fixture.a, gate::Activity::waiting);
    CHECK(fixture.b.open());
    fixture.executes(fixture.b);
    CHECK(fixture.dispatcher.conduct(10).debt > 300ms);
  }
}

TEST_CASE("a time in which pegasusd did not run is charged to nobody, beyond the lease of the gates") {
  for (std::string_view const policy : exclusive_with_accounts()) {
    INFO(policy);
    TwoDomains fixture(policy);
    fixture.becomes(fixture.a, gate::Activity::waiting);
    fixture.becomes(fixture.b, gate::Activity::waiting);
    REQUIRE((fixture.a.open() || fixture.b.open()));
    fixture.now += 12s;
    fixture.point();
    CHECK(fixture.dispatcher.conduct(10).debt <= Nanos(Lease::length) / 2);
    CHECK(fixture.dispatcher.conduct(20).debt <= Nanos(Lease::length) / 2);
  }
}

TEST_CASE("a task that was told to stop is not to blame for a time in which pegasusd did not run") {
  TwoDomains fixture("accc");
  fixture.executes(fixture.a);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  fixture.wait(11ms);
  REQUIRE_FALSE(fixture.a.open());
  fixture.now += 12s;
  fixture.finishes(fixture.a, gate::Activity::waiting);
  CHECK(fixture.given_up.empty());
  CHECK(fixture.dispatcher.conduct(10).barred_until - fixture.now <= Nanos(Lease::length));
}

TEST_CASE("latency is kept by domain, also of tasks that are gone") {
  TwoDomains fixture("accc");
  Dispatcher& dispatcher = fixture.dispatcher;
  fixture.a.usage.latency_bucket[52] = 10;
  dispatcher.bring_up_to_date(fixture.now);
  CHECK(dispatcher.latency(10).count() == 10);
  CHECK(dispatcher.latency(20).count() == 0);
  CHECK(dispatcher.latency(99).count() == 0);
  fixture.dies(TwoDomains::task_a);
  CHECK(dispatcher.latency(10).count() == 10);
  CHECK(dispatcher.latency(10).p50_us() == Approx(9.216));
  dispatcher.reset_statistics(fixture.now);
  CHECK(dispatcher.latency(10).count() == 0);
}
