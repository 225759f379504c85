// SPDX-License-Identifier: Apache-2.0
// The dispatcher: tasks whose memory leaves the device, and domains that are frozen for that.
#include "domA/scheduler/testing/two_domains.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;
using gate::Activity;

namespace {

// Task a, which has calls, gets the order and answers.
void ordered(TwoDomains& fixture, gate::OrderKind kind, gate::OrderStatus answer) {
  REQUIRE(fixture.dispatcher.order(TwoDomains::task_a, {.kind = kind}));
  fixture.point();
  if (fixture.a.usage.activity == Activity::running) fixture.becomes(fixture.a, Activity::waiting);
  REQUIRE(obeys(fixture.a, answer));
  fixture.becomes(fixture.a, Activity::waiting);
}

} // namespace

TEST_CASE("a task whose memory is not on the device does not get the device") {
  using enum gate::OrderKind;
  using enum gate::OrderStatus;
  for (std::string_view const policy : {"rr", "none", "accc", "eevdf", "dfq"}) {
    INFO(policy);
    TwoDomains fixture(policy);
    fixture.executes(fixture.a);
    SECTION("until all of it is back") {
      ordered(fixture, evict, done);
      CHECK_FALSE(fixture.a.open());
      ordered(fixture, describe, done);
      CHECK_FALSE(fixture.a.open());
      ordered(fixture, restore, failed);
      CHECK_FALSE(fixture.a.open());
      fixture.wait(1s);
      CHECK_FALSE(fixture.a.open());
      CHECK(fixture.given_up.empty());
      ordered(fixture, restore, done);
      CHECK(fixture.a.open());
    }
    SECTION("and one that could not be evicted does") {
      ordered(fixture, evict, failed);
      CHECK(fixture.a.open());
    }
    SECTION("nor does one of another release, that does not know how") {
      ordered(fixture, evict, unknown);
      CHECK(fixture.a.open());
    }
  }
}

TEST_CASE("a frozen domain waits, and the other one has the device") {
  for (std::string_view const policy : {"rr", "none", "accc", "xc", "slaf", "fair", "eevdf", "dfq", "lead"}) {
    INFO(policy);
    TwoDomains fixture(policy);
    fixture.executes(fixture.a);
    REQUIRE(fixture.a.open());
    fixture.dispatcher.set_domain(10, {.frozen = true});
    fixture.point();
    CHECK_FALSE(fixture.a.open());
    fixture.finishes(fixture.a, Activity::waiting);
    fixture.becomes(fixture.b, Activity::waiting);
    for (int step = 0; step < 50; ++step) {
      fixture.wait(5ms);
      CHECK_FALSE(fixture.a.open());
      CHECK(fixture.b.open());
    }
    fixture.dispatcher.set_domain(10, {});
    fixture.point();
    bool opened = fixture.a.open();
    for (int step = 0; step < 50 && !opened; ++step) {
      fixture.wait(5ms);
      if (!fixture.b.open()) fixture.becomes(fixture.b, Activity::waiting);
      opened = fixture.a.open();
    }
    CHECK(opened);
    CHECK(fixture.given_up.empty());
  }
}

TEST_CASE("memory takes its time, and a worker that does not answer at all is given up") {
  constexpr std::uint64_t gibibyte = 1 << 30;
  for (gate::OrderKind const kind : {gate::OrderKind::evict, gate::OrderKind::restore}) {
    TwoDomains fixture("rr");
    REQUIRE(fixture.dispatcher.order(TwoDomains::task_a, {.kind = kind, .amount = 2 * gibibyte}));
    fixture.point();
    fixture.wait(8900ms); // the limit is a second, the slowest move takes eight
    CHECK(fixture.given_up.empty());
    fixture.wait(200ms);
    CHECK(fixture.given_up == std::vector{TaskId{TwoDomains::task_a}});
  }
}
