// SPDX-License-Identifier: Apache-2.0
// Built-in scenarios and what comes of them, for the tests of what docs/evaluation says.
#pragma once

#include "sim/report/metrics.h"
#include "sim/scenario/builtin.h"
#include "sim/scenario/scenario_file.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::sim::testing {

// Of the built-in scenarios whose names begin so, each with its variants.
inline std::vector<std::vector<Scenario>> scenarios_of(std::initializer_list<std::string_view> figures) {
  std::vector<std::vector<Scenario>> found;
  for (BuiltinScenario const& builtin : builtin_scenarios()) {
    if (std::ranges::none_of(figures, [&](std::string_view each) { return builtin.name.starts_with(each); }))
      continue;
    auto const scenarios = parse_scenarios(builtin.text, builtin.name);
    REQUIRE(scenarios);
    found.push_back(*scenarios);
  }
  return found;
}

// The scenario of this name, of its variants the named one; "": it has none.
inline Scenario builtin_variant(std::string_view name, std::string_view variant) {
  auto const builtin = std::ranges::find(builtin_scenarios(), name, &BuiltinScenario::name);
  REQUIRE(builtin != builtin_scenarios().end());
  auto const scenarios = parse_scenarios(builtin->text, builtin->name);
  REQUIRE(scenarios);
  auto const scenario = std::ranges::find(*scenarios, variant, &Scenario::variant);
  REQUIRE(scenario != scenarios->end());
  return *scenario;
}

inline std::vector<Run> results_of(Scenario const& scenario, std::vector<std::string> const& policies) {
  auto const runs = run_policies(scenario, policies, 1);
  REQUIRE(runs);
  return *runs;
}

inline std::vector<Run> results_of(std::string_view name, std::string_view variant,
                                   std::vector<std::string> const& policies) {
  return results_of(builtin_variant(name, variant), policies);
}

} // namespace pegasus::sim::testing
