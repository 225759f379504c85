// SPDX-License-Identifier: Apache-2.0
// The table of policies by metrics, with which a scenario's part of the page begins.
#pragma once

#include "sim/report/scenario_runs.h"

#include <string>

namespace pegasus::sim::html {

// sort.js sorts it by the values in `data-value`.
[[nodiscard]] std::string summary_table(ScenarioRuns const& of);

} // namespace pegasus::sim::html
