// SPDX-License-Identifier: Apache-2.0
// Scenarios whose text is in the test, and their runs.
#pragma once

#include "sim/report/metrics.h"
#include "sim/scenario/scenario_file.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

namespace pegasus::sim::testing {

inline Scenario scenario_in(std::string const& text) {
  auto const scenario = parse_scenarios(text, "test");
  INFO((scenario ? "" : scenario.error()));
  REQUIRE(scenario);
  return scenario->front();
}

inline std::string domain(std::string const& name, std::string const& settings, std::string const& program) {
  return "[[domain]]\nname = \"" + name + "\"\n" + settings + "\n[[domain.program]]\n" + program + "\n";
}

inline std::vector<Run> runs_of(Scenario const& scenario, std::vector<std::string> const& policies,
                                std::uint64_t seed = 1) {
  auto const runs = run_policies(scenario, policies, seed);
  REQUIRE(runs);
  return *runs;
}

inline double share(Run const& run, std::size_t index) {
  return std::chrono::duration<double>(run.outcome.domains[index].device) / run.outcome.accelerators[0].busy;
}

inline constexpr auto greedy = "steps = [\"launch 2ms 16\", \"sync\"]";
// 0.5 ms of CPU work, then a kernel of 0.1 ms and a wait for it.
inline constexpr auto synchronous = "steps = [\"cpu 500us\", \"call 100us\"]";

inline std::string two_synchronous(std::string const& accelerator) {
  return "[[accelerator]]\n" + accelerator + "\n" + domain("a", "", synchronous) +
         domain("b", "", synchronous);
}

} // namespace pegasus::sim::testing
