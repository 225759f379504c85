// SPDX-License-Identifier: Apache-2.0
// The built-in scenarios: each can be run, and what docs/ says of them is so.
#include "policies/registry.h"
#include "sim/report/metrics.h"
#include "sim/scenario/builtin.h"
#include "sim/scenario/scenario_file.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace pegasus::sim;

namespace {

Run run_of(std::string_view name, std::string const& policy) {
  auto const builtin = std::ranges::find(builtin_scenarios(), name, &BuiltinScenario::name);
  REQUIRE(builtin != builtin_scenarios().end());
  auto const scenarios = parse_scenarios(builtin->text, builtin->name);
  REQUIRE(scenarios);
  auto const runs = run_policies(scenarios->front(), {policy}, 1);
  REQUIRE(runs);
  return runs->front();
}

} // namespace

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

TEST_CASE("a policy that holds time slices does more work where the device takes 1 ms to change contexts") {
  double const without = run_of("switch-cost", "none").overhead;
  std::size_t holding = 0;
  for (pegasus::policies::Entry const& entry : pegasus::policies::registry()) {
    if (std::ranges::none_of(entry.tunables, [](auto const& each) { return each.name == "hold"; })) continue;
    ++holding;
    INFO(entry.name);
    CHECK(run_of("switch-cost", std::string(entry.name) + " hold=2ms").overhead < without / 1.5);
  }
  CHECK(holding == 8);
}

TEST_CASE(
    "policies that read the hypervisor's schedule do more work where guests poll beside their kernels") {
  double const alone = run_of("coordination", "xc").overhead;
  CHECK(run_of("coordination", "augc").overhead < alone - 0.01);
  CHECK(run_of("coordination", "cosched").overhead < alone - 0.03);
}
