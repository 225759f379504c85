// SPDX-License-Identifier: Apache-2.0
// The built-in scenarios: each can be run, and what docs/evaluation/fairgv.md promises of `fair` is so.
#include "policies/registry.h"
#include "sim/report/metrics.h"
#include "sim/scenario/builtin.h"
#include "sim/scenario/scenario_file.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace pegasus::sim;

TEST_CASE("each built-in scenario is read, and its policies exist") {
  for (BuiltinScenario const& builtin : builtin_scenarios()) {
    auto const scenarios = parse_scenarios(builtin.text, builtin.name);
    INFO(builtin.name << (scenarios ? "" : ": " + scenarios.error()));
    REQUIRE(scenarios);
    for (Scenario const& scenario : *scenarios) {
      CHECK_FALSE(scenario.title.empty());
      for (std::string const& policy : scenario.policies)
        CHECK(pegasus::policies::find(policy.substr(0, policy.find(' '))) != nullptr);
    }
  }
}

TEST_CASE(
    "fair has FairGV's ratio and overhead with each program of its figures 8 and 9 and of its Table 3") {
  std::size_t programs = 0;
  for (BuiltinScenario const& builtin : builtin_scenarios()) {
    if (std::ranges::none_of(
            std::initializer_list<std::string_view>{"fairgv-fig8-", "fairgv-fig9-", "fairgv-table3-"},
            [&](std::string_view figure) { return builtin.name.starts_with(figure); }))
      continue;
    ++programs;
    auto const scenarios = parse_scenarios(builtin.text, builtin.name);
    REQUIRE(scenarios);
    auto const runs = run_policies(scenarios->front(), {"fair"}, 1);
    REQUIRE(runs);
    INFO(builtin.name);
    CHECK(runs->front().mmr >= 0.99);
    CHECK(runs->front().overhead <= 1.02);
  }
  CHECK(programs == 10);
}
