// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/report/metrics.h"
#include "sim/scenario/scenario_file.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace pegasus::sim::testing {

// What part of the device's time each domain of a scenario, in TOML, has under a policy.
inline std::vector<double> device_parts(std::string const& toml, std::string const& policy) {
  auto const scenarios = parse_scenarios(toml, "of a test");
  INFO((scenarios ? "" : scenarios.error()));
  REQUIRE(scenarios);
  Scenario const& scenario = scenarios->front();
  auto const runs = run_policies(scenario, {policy}, 1);
  REQUIRE(runs);
  std::vector<double> parts;
  for (DomainOutcome const& domain : runs->front().outcome.domains)
    parts.push_back(static_cast<double>(domain.device.count()) /
                    static_cast<double>(scenario.duration.count()));
  return parts;
}

} // namespace pegasus::sim::testing
