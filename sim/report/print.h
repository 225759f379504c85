// SPDX-License-Identifier: Apache-2.0
// Runs as a table for people and as JSON.
#pragma once

#include "sim/report/metrics.h"

#include <span>
#include <string>

namespace pegasus::sim {

[[nodiscard]] std::string as_table(Scenario const& scenario, std::span<Run const> runs);
[[nodiscard]] std::string as_json(Scenario const& scenario, std::span<Run const> runs);

} // namespace pegasus::sim
