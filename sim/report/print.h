// SPDX-License-Identifier: Apache-2.0
// Runs as a table for people and as JSON.
#pragma once

#include "sim/report/metrics.h"

#include <span>
#include <string>

namespace pegasus::sim {

struct ScenarioRuns {
  std::string name; // of the scenario
  Scenario scenario;
  std::vector<Run> runs;
};

[[nodiscard]] std::string as_table(std::span<ScenarioRuns const> all);
// {"runs": [one entry per scenario and policy]}.
[[nodiscard]] std::string as_json(std::span<ScenarioRuns const> all);

} // namespace pegasus::sim
