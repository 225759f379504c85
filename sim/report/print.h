// SPDX-License-Identifier: Apache-2.0
// Runs as tables for people, and as JSON and CSV for programs.
#pragma once

#include "sim/report/scenario_runs.h"

#include <span>
#include <string>

namespace pegasus::sim {

// First the policies by metrics (summary.h), then each policy by domains.
[[nodiscard]] std::string as_table(std::span<ScenarioRuns const> all);
// {"runs": [one entry per scenario and policy]}. Of a run that executed nothing, what has no value is null.
[[nodiscard]] std::string as_json(std::span<ScenarioRuns const> all);
// A row for each scenario, value of `vary`, policy, seed and domain.
[[nodiscard]] std::string as_csv(std::span<ScenarioRuns const> all);

} // namespace pegasus::sim
