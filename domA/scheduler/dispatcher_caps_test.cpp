// SPDX-License-Identifier: Apache-2.0
// The dispatcher: a domain with a cap, under every policy.
#include "domA/scheduler/testing/two_domains.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;

TEST_CASE("a domain with a cap has no more, on an idle device, under every policy") {
  for (policies::Entry const& entry : policies::registry()) {
    INFO(entry.name);
    TwoDomains fixture(entry.name);
    fixture.dispatcher.set_domain(10, {.cap = 0.25});
    fixture.becomes(fixture.a, gate::Activity::waiting);
    Time const began = fixture.now;
    Nanos open{0};
    while (fixture.now < began + 2s) { // it executes for as long as its gate is open
      bool const runs = fixture.a.open();
      if (runs) fixture.executes(fixture.a);
      fixture.wait(500us);
      if (runs) {
        open += 500us;
        fixture.finishes(fixture.a, gate::Activity::waiting);
      }
    }
    double const part =
        static_cast<double>(open.count()) / static_cast<double>((fixture.now - began).count());
    CHECK(part == Approx(0.25).margin(0.02)); // 25 ms saved up at first
    CHECK(fixture.used(10) == open);
  }
}

TEST_CASE("the worker is told when the cap will be reached, so that it cuts its kernels") {
  TwoDomains fixture("accc");
  fixture.dispatcher.set_domain(10, {.cap = 0.5});
  fixture.becomes(fixture.a, gate::Activity::waiting);
  REQUIRE(fixture.a.open());
  auto const end = fixture.a.gate.ends_at_ns.load();
  CHECK(end > static_cast<std::uint64_t>(fixture.now.time_since_epoch().count()));
  CHECK(end <= static_cast<std::uint64_t>((fixture.now + 100ms).time_since_epoch().count()));
}

TEST_CASE("a domain that has had its part is shown to be") {
  TwoDomains fixture("eevdf");
  fixture.dispatcher.set_domain(10, {.cap = 0.1});
  fixture.executes(fixture.a);
  fixture.wait(100ms);
  fixture.finishes(fixture.a, gate::Activity::waiting);
  CHECK(fixture.dispatcher.conduct(10).capped);
  CHECK_FALSE(fixture.a.open());
  fixture.dispatcher.set_domain(10, {});
  fixture.point();
  CHECK_FALSE(fixture.dispatcher.conduct(10).capped);
  CHECK(fixture.a.open());
}
