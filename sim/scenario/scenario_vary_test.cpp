// SPDX-License-Identifier: Apache-2.0
// What varies between the scenarios of one file.
#include "sim/scenario/scenario_file.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace std::chrono_literals;

TEST_CASE("a domain's setting and an accelerator's pieces may be what varies") {
  auto const scenarios = parse_scenarios(R"(
vary = ["200us", "1ms"]
[[accelerator]]
piece = "$"
piece_cost = "10us"
[[domain]]
latency = "$"
[[domain.program]]
steps = ["every 5ms", "arrive 6ms", "call 1ms"]
)",
                                         "s.toml");
  REQUIRE(scenarios);
  Scenario const& second = scenarios->at(1);
  CHECK(second.domains[0].accelerator.latency_slice == 1ms);
  CHECK(second.accelerators[0].piece == 1ms);
  CHECK(second.accelerators[0].piece_cost == 10us);
  std::vector<Step> const& steps = second.domains[0].programs[0].phases[0].steps;
  CHECK(steps[0] == Step{Step::Kind::every, 5ms, 1});
  CHECK(steps[1] == Step{Step::Kind::arrive, 6ms, 1});
}

TEST_CASE("vary makes a scenario of each of its times") {
  auto const scenarios = parse_scenarios(R"(
vary = ["21us", "1605us"]
shows = ["run time", "utilization"]
[[domain]]
[[domain.program]]
steps = ["launch $ 3", "sync", "sleep 1ms"]
)",
                                         "s.toml");
  REQUIRE(scenarios);
  REQUIRE(scenarios->size() == 2);
  CHECK((*scenarios)[0].variant == "21us");
  CHECK((*scenarios)[1].variant == "1605us");
  for (Scenario const& scenario : *scenarios) {
    CHECK(scenario.shows == std::vector{Measure::run_time, Measure::utilization});
    std::vector<Step> const& steps = scenario.domains[0].programs[0].phases[0].steps;
    CHECK(steps[0].span == (scenario.variant == "21us" ? 21us : 1605us));
    CHECK(steps[0].count == 3);
    CHECK(steps[2].span == 1ms);
  }
}

TEST_CASE("vary may be a cost of the accelerator, also 0") {
  auto const scenarios = parse_scenarios(R"(
vary = ["0ms", "3ms"]
[[accelerator]]
switch_cost = "$"
contention = "1ms"
[[accelerator]]
contention = "$"
preempt = "$"
[[domain]]
[[domain.program]]
steps = ["call 1ms"]
)",
                                         "s.toml");
  REQUIRE(scenarios);
  REQUIRE(scenarios->size() == 2);
  for (Scenario const& scenario : *scenarios) {
    Nanos const cost = scenario.variant == "0ms" ? 0ms : 3ms;
    CHECK(scenario.accelerators[0].switch_cost == cost);
    CHECK(scenario.accelerators[0].contention == 1ms);
    CHECK(scenario.accelerators[1].contention == cost);
    CHECK(scenario.accelerators[1].preempt == cost);
  }
}

TEST_CASE("vary may be the number of a program's copies") {
  auto const scenarios = parse_scenarios(R"(
vary = ["1", "8"]
[[domain]]
[[domain.program]]
copies = "$"
steps = ["call 1ms"]
[[domain.program]]
copies = 2
steps = ["call 3ms"]
)",
                                         "s.toml");
  REQUIRE(scenarios);
  REQUIRE(scenarios->size() == 2);
  CHECK((*scenarios)[0].domains[0].programs.size() == 3);
  auto const& programs = (*scenarios)[1].domains[0].programs;
  REQUIRE(programs.size() == 10);
  CHECK(programs[7].phases[0].steps[0].span == 1ms);
  CHECK(programs[8].phases[0].steps[0].span == 3ms);
}
