// SPDX-License-Identifier: Apache-2.0
// The dispatcher: what of a policy concerns more than its decisions, and its switch.
#include "domA/scheduler/testing/two_domains.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;

TEST_CASE("the manner of calls under a policy is that of tasks that come later, too") {
  TwoDomains fixture("timeslice-engaged");
  CHECK(fixture.a.gate.engaged == 1);
  fixture.dispatcher.use({policies::find("accc"), {}}, fixture.now);
  CHECK(fixture.a.gate.engaged == 0);
  CHECK(fixture.a.gate.guest_polls == 0);
  fixture.dispatcher.use({policies::find("credit-poll"), {}}, fixture.now);
  CHECK(fixture.a.gate.guest_polls == 1);
  Worker late{3};
  fixture.dispatcher.attach(3, 10, late.gate, late.usage, fixture.now);
  CHECK(late.gate.guest_polls == 1);
  fixture.dispatcher.use({policies::find("accc"), {}}, fixture.now);
  CHECK((fixture.a.gate.guest_polls == 0 && late.gate.guest_polls == 0));
}

TEST_CASE("what is set of a policy counts from the switch on") {
  TwoDomains fixture("fair");
  fixture.dispatcher.use({policies::find("fair"), {.host_weight = 0, .slice = 2ms}}, fixture.now);
  fixture.executes(fixture.a);
  fixture.a.usage.host_busy_ns = 1'000'000;
  fixture.becomes(fixture.b, gate::Activity::waiting);
  fixture.wait(1999us);
  CHECK(fixture.a.open());
  fixture.wait(1us);
  CHECK_FALSE(fixture.a.open());
  CHECK(fixture.dispatcher.tunables().slice == 2ms);
}

TEST_CASE("what the host does for a domain uses up its time slice, by the weight that is set for it") {
  TwoDomains fixture("accc");
  fixture.dispatcher.use({policies::find("accc"), {.tick = 10ms, .host_weight = 0.5}}, fixture.now);
  fixture.executes(fixture.a);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  fixture.wait(4ms);
  fixture.a.usage.host_busy_ns = 4'000'000;
  fixture.becomes(fixture.a, gate::Activity::running); // charged for 6 ms
  fixture.wait(3999us);
  CHECK(fixture.a.open());
  fixture.wait(1us);
  CHECK_FALSE(fixture.a.open());
}

TEST_CASE("another policy decides from the next point on; what runs goes on") {
  TwoDomains fixture("rr");
  fixture.becomes(fixture.a, gate::Activity::running);
  fixture.dispatcher.use({policies::find("accc"), {}}, fixture.now);
  fixture.point();
  CHECK(fixture.dispatcher.policy().name == "accc");
  CHECK(fixture.a.open());
}

TEST_CASE("a policy that names domains that are not there disturbs nobody") {
  struct Stray final : policies::Policy {
    policies::Decision decide(policies::View const& view) override {
      policies::Decision decision;
      decision.run = {5, 10};
      decision.until = decision.ask_again = view.now + 10ms;
      return decision;
    }
  };
  policies::Entry stray = *policies::find(GENERATE("rr", "none"));
  stray.make = [](policies::Tunables const&) -> std::unique_ptr<policies::Policy> {
    return std::make_unique<Stray>();
  };
  TwoDomains fixture("rr");
  fixture.dispatcher.use({&stray, {}}, fixture.now);
  fixture.becomes(fixture.a, gate::Activity::waiting);
  fixture.wait(30ms);
  CHECK(fixture.a.open());
  CHECK_FALSE(fixture.b.open());
}
