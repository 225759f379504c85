// SPDX-License-Identifier: Apache-2.0
#include "policies/registry.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace pegasus::policies;
using namespace std::chrono_literals;

TEST_CASE("a tunable takes a value with its unit, and nothing else") {
  Tunables tunables;
  CHECK(tunable::slice.set(tunables, "2.5ms"));
  CHECK(tunables.slice == 2500us);
  CHECK(tunable::slice.value(tunables) == "2.5ms");
  CHECK(tunable::slice.set(tunables, "0"));
  CHECK(tunable::slice.value(tunables) == "0s");
  CHECK(tunable::host_weight.set(tunables, "0.5"));
  CHECK(tunables.host_weight == 0.5);
  CHECK(tunable::host_weight.value(tunables) == "0.5");
  Tunables const before = tunables;
  for (char const* const wrong :
       {"", "ms", "2", "2 ms", "2m", "-1ms", "2s", "nan", "inf", "1e999ms", "0x10us", "2mss"}) {
    INFO(wrong);
    CHECK_FALSE(tunable::slice.set(tunables, wrong));
  }
  for (char const* const wrong : {"", "1ms", "-1", "101", "nan", "1 "}) {
    INFO(wrong);
    CHECK_FALSE(tunable::host_weight.set(tunables, wrong));
  }
  CHECK(tunables == before);
  CHECK(tunable::tick.range() == "100us to 1s");
  CHECK(tunable::patience.range() == "1 to 1000");
}

TEST_CASE("a policy is chosen by its name and what is set of it; an error says what there is") {
  auto const error = [](char const* name, std::vector<std::string> const& settings) {
    return std::get<InvalidChoice>(choose(name, settings, {})).text;
  };
  auto const fair = std::get<Choice>(
      choose("fair", std::vector<std::string>{"slice=2ms", "interactive=500"}, {.tick = 5ms}));
  CHECK(fair.policy == find("fair"));
  CHECK(fair.tunables == Tunables{.tick = 5ms, .slice = 2ms, .interactive = 500});
  CHECK(error("fastest", {}) ==
        "there is no policy \"fastest\"; there are: none, rr, accc, xc, slaf, augc, "
        "cosched, fair, eevdf, lead, dfq, timeslice-engaged, timeslice-disengaged, "
        "credit-poll, credit-hs, strict-co, pegasus-xc, pegasus-augc, pegasus-cosched");
  CHECK(error("accc", {"slice=2ms"}) ==
        "policy accc has no \"slice\" to be set; it has: tick, host_weight, longest_wait, hold");
  CHECK(error("none", {"tick=1ms"}) == "policy none has no \"tick\" to be set; it has: nothing");
  CHECK(error("fair", {"slice=2h"}) == "slice=2h: a value from 0s to 1s is wanted, as in slice=2ms");
  CHECK(error("fair", {"hold=2h"}) == "hold=2h: a value from 0s to 1s or auto is wanted, as in hold=2ms");
  CHECK(error("fair", {"tick"}) == "tick: a value from 100us to 1s is wanted, as in tick=10ms");
}

TEST_CASE("hold may be auto where the policy can find out for whom it waits") {
  Tunables tunables;
  CHECK(tunable::hold.set(tunables, "auto"));
  CHECK(tunables.hold == automatic_hold);
  CHECK(tunable::hold.value(tunables) == "auto");
  CHECK(tunable::hold.set(tunables, "2ms"));
  CHECK(tunable::hold.value(tunables) == "2ms");
  CHECK_FALSE(tunable::hold.set(tunables, "automatic"));
  CHECK_FALSE(tunable::slice.set(tunables, "auto"));
}

TEST_CASE("every policy makes sense at the ends of what may be set of it") {
  for (Entry const& entry : registry())
    for (Tunable const& tunable : entry.tunables)
      for (bool const most : {false, true}) {
        INFO(entry.name << " " << tunable.name);
        std::string const range = tunable.range();
        auto const between = range.find(" to ");
        std::string const value = most ? range.substr(between + 4) : range.substr(0, between);
        std::vector<std::string> const setting{std::string(tunable.name) + "=" + value};
        auto const policy = entry.make(std::get<Choice>(choose(entry.name, setting, {})).tunables);
        std::vector<DomainView> domains(2);
        Time const now{std::chrono::seconds(1)};
        for (DomainId id = 1; DomainView & domain : domains) {
          domain.id = id++;
          domain.tasks = domain.calls_waiting = 1;
        }
        Decision const decision = policy->decide({.now = now, .run_since = now, .domains = domains});
        CHECK_FALSE(decision.run.empty());
        CHECK(decision.until > now);
      }
}
