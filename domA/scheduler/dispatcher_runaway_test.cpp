// SPDX-License-Identifier: Apache-2.0
// The dispatcher: calls that keep other domains waiting.
#include "domA/scheduler/testing/two_domains.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;

TEST_CASE("a call that outlives its time slice by the limit is given up, once a limit") {
  TwoDomains fixture("rr");
  fixture.becomes(fixture.a, gate::Activity::running);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  fixture.wait(10ms + 999ms);
  CHECK(fixture.given_up.empty());
  fixture.wait(21ms);
  CHECK(fixture.given_up == std::vector{TwoDomains::task_a});
  fixture.wait(500ms); // it is being ended
  CHECK(fixture.given_up.size() == 1);
  fixture.dispatcher.detach(TwoDomains::task_a, fixture.now);
  fixture.point();
  CHECK(fixture.b.open());
}

TEST_CASE("a call that needs no device keeps nobody waiting, however long it takes") {
  TwoDomains fixture("rr");
  fixture.becomes(fixture.a, gate::Activity::on_host);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  CHECK(fixture.b.open());
  fixture.wait(60s);
  CHECK(fixture.given_up.empty());
  CHECK(fixture.dispatcher.conduct(10).barred_until <= fixture.now);
}

TEST_CASE("of several late calls the one that executes is to blame") {
  TwoDomains fixture("none");
  fixture.becomes(fixture.a, gate::Activity::running); // waits for the device
  fixture.executes(fixture.b);
  CHECK(fixture.b.open());
  fixture.dispatcher.use({policies::find("rr"), {}}, fixture.now); // one of them must stop
  Worker c{3};
  fixture.dispatcher.set_domain(5, {});
  fixture.dispatcher.attach(3, 5, c.gate, c.usage, fixture.now);
  fixture.becomes(c, gate::Activity::waiting);
  fixture.wait(2s);
  REQUIRE_FALSE(fixture.given_up.empty());
  CHECK(fixture.given_up.front() == TwoDomains::task_b);
}

TEST_CASE("where no time slice ends, a task that executes for longer than the limit while others wait is "
          "given up") {
  TwoDomains fixture("none");
  fixture.executes(fixture.a);
  fixture.wait(3s);
  CHECK(fixture.given_up.empty()); // no other domain waits
  fixture.becomes(fixture.b, gate::Activity::running);
  fixture.wait(1100ms);
  CHECK(fixture.given_up == std::vector{TwoDomains::task_a});
}

TEST_CASE("a domain that keeps others waiting beyond its time slice is kept from an idle device as long") {
  TwoDomains fixture("accc");
  fixture.executes(fixture.a);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  fixture.wait(60ms); // 50 of them beyond its time slice
  fixture.finishes(fixture.a, gate::Activity::waiting);
  fixture.becomes(fixture.b, gate::Activity::idle); // pauses for a moment
  CHECK_FALSE(fixture.a.open());
  CHECK(fixture.dispatcher.conduct(10).barred_until == fixture.now + 50ms);
  fixture.wait(49ms);
  CHECK_FALSE(fixture.a.open());
  fixture.wait(1ms);
  CHECK(fixture.a.open());
}

TEST_CASE("a bar is a promise to those who waited: it ends when they do not come back, or have left") {
  TwoDomains fixture("accc");
  fixture.dispatcher.set_domain(20, {.credits = 65535});
  fixture.executes(fixture.a);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  fixture.wait(60ms);
  fixture.finishes(fixture.a, gate::Activity::waiting);
  REQUIRE(fixture.b.open());
  CHECK(fixture.dispatcher.conduct(10).barred_until - fixture.now > 10s);
  fixture.executes(fixture.b);
  fixture.wait(1ms);
  fixture.finishes(fixture.b, gate::Activity::idle);
  CHECK_FALSE(fixture.a.open());
  SECTION("they do not come back for as long as they were kept waiting") {
    fixture.wait(49ms);
    CHECK_FALSE(fixture.a.open());
    fixture.wait(11ms);
    CHECK(fixture.a.open());
  }
  SECTION("they come back") {
    for (int calls = 0; calls < 20; ++calls) {
      fixture.wait(40ms);
      CHECK_FALSE(fixture.a.open());
      fixture.executes(fixture.b);
      fixture.wait(1ms);
      fixture.finishes(fixture.b, gate::Activity::idle);
    }
  }
  SECTION("they have left") {
    fixture.dies(TwoDomains::task_b);
    fixture.wait(100us);
    CHECK(fixture.a.open());
  }
}

TEST_CASE("a call that ends before its time slice was to end is no overrun, although another domain "
          "interrupted it") {
  for (Nanos const runs_on : {4ms, 12ms}) {
    CAPTURE(runs_on.count());
    TwoDomains fixture("fair");
    fixture.executes(fixture.a);
    fixture.wait(3ms);
    fixture.becomes(fixture.b, gate::Activity::waiting); // it is behind, and interrupts
    fixture.wait(10us);
    REQUIRE_FALSE(fixture.a.open());
    fixture.wait(runs_on);
    fixture.finishes(fixture.a, gate::Activity::waiting);
    CHECK(fixture.b.open());
    CHECK(fixture.dispatcher.conduct(10).debt > 0ns);
    CHECK((fixture.dispatcher.conduct(10).barred_until > fixture.now) == (runs_on == 12ms));
  }
}

TEST_CASE("what a worker waits for a CPU is no overrun") {
  for (Nanos const waited : {0ms, 19ms}) {
    CAPTURE(waited.count());
    TwoDomains fixture("accc");
    fixture.executes(fixture.a);
    fixture.becomes(fixture.b, gate::Activity::waiting);
    fixture.wait(10ms);
    REQUIRE_FALSE(fixture.a.open());
    fixture.wait(20ms);
    fixture.cpu.waited += waited;
    fixture.finishes(fixture.a, gate::Activity::waiting);
    CHECK((fixture.dispatcher.conduct(10).barred_until > fixture.now) == (waited == 0ms));
  }
}

TEST_CASE("that a worker waited for a CPU does not excuse a task that is given up") {
  TwoDomains fixture("rr");
  fixture.becomes(fixture.a, gate::Activity::running);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  fixture.wait(1100ms);
  REQUIRE(fixture.given_up == std::vector{TwoDomains::task_a});
  fixture.cpu.waited += 10s;
  fixture.dies(TwoDomains::task_a);
  CHECK(fixture.dispatcher.conduct(10).barred_until > fixture.now);
}

TEST_CASE(
    "a task that claims to be on the device is given up although the device works for others meanwhile") {
  TwoDomains fixture("dfq");
  Worker c{3};
  fixture.dispatcher.set_domain(5, {});
  fixture.dispatcher.attach(3, 5, c.gate, c.usage, fixture.now);
  fixture.starts(c);
  fixture.becomes(fixture.b, gate::Activity::running);
  for (Nanos time{0}; time < 2500ms; time += 1ms) { // a's kernels, one after the other
    if (fixture.a.open()) fixture.executes(fixture.a);
    fixture.wait(1ms);
    if (fixture.a.usage.executing_since_ns != 0) fixture.finishes(fixture.a, gate::Activity::waiting);
    if (time == 500ms) fixture.becomes(c, gate::Activity::waiting);
  }
  CHECK(fixture.given_up == std::vector{TwoDomains::task_b});
  fixture.dies(TwoDomains::task_b);
  CHECK(fixture.dispatcher.conduct(20).barred_until > fixture.now + 100ms);
  fixture.wait(10ms);
  CHECK(c.open());
}

TEST_CASE("where domains share the device, a bar keeps its gate closed") {
  TwoDomains fixture("lead");
  fixture.becomes(fixture.b, gate::Activity::waiting);
  fixture.executes(fixture.a);
  fixture.becomes(fixture.b, gate::Activity::running); // its kernel waits for the device
  fixture.wait(60ms);
  CHECK_FALSE(fixture.a.open());
  fixture.finishes(fixture.a, gate::Activity::waiting);
  Time const end = fixture.dispatcher.conduct(10).barred_until;
  CHECK(end - fixture.now > 40ms);
  fixture.executes(fixture.b);
  fixture.wait(1ms);
  fixture.finishes(fixture.b, gate::Activity::idle);
  while (fixture.now < end - 1ms) {
    fixture.wait(1ms);
    REQUIRE_FALSE(fixture.a.open());
  }
  fixture.wait(2ms);
  CHECK(fixture.a.open());
}

TEST_CASE("a task that waits for an endless one is not given up with it, and is counted once if it is") {
  TwoDomains fixture("none");
  fixture.executes(fixture.a);
  fixture.becomes(fixture.b, gate::Activity::running);             // waits for the device
  fixture.dispatcher.use({policies::find("rr"), {}}, fixture.now); // both are told to stop
  Worker c{3};
  fixture.dispatcher.set_domain(5, {});
  fixture.dispatcher.attach(3, 5, c.gate, c.usage, fixture.now);
  fixture.becomes(c, gate::Activity::waiting);
  fixture.wait(1100ms);
  REQUIRE(fixture.given_up == std::vector{TwoDomains::task_a});
  fixture.dies(TwoDomains::task_a);
  fixture.executes(fixture.b);
  fixture.wait(900ms);
  CHECK(fixture.given_up.size() == 1);
  fixture.wait(200ms);
  CHECK(fixture.given_up.size() == 2);
  fixture.finishes(fixture.b, gate::Activity::waiting);
  fixture.dies(TwoDomains::task_b);
  CHECK(fixture.dispatcher.conduct(20).killed == 1);
}

TEST_CASE("a kernel that is longer than its time slice is allowed while no other domain waits") {
  TwoDomains fixture("accc");
  fixture.executes(fixture.a);
  fixture.wait(10s);
  fixture.finishes(fixture.a, gate::Activity::waiting);
  CHECK(fixture.a.open());
  CHECK(fixture.given_up.empty());
  fixture.executes(fixture.a);
  fixture.wait(100ms);
  CHECK(fixture.used(10) == 10100ms);
}
