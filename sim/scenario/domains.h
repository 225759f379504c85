// SPDX-License-Identifier: Apache-2.0
// Reads what a scenario says of its domains: [[domain]], its programs and their steps, its nested scheduler.
#pragma once

#include "control/toml_table.h"
#include "sim/scenario/scenario.h"

namespace pegasus::sim {

using control::TomlTable;

// Adds a domain to the scenario, or its copies, after the host has been read. Throws a control::TomlError.
void read_domain(TomlTable& table, Scenario& scenario);

} // namespace pegasus::sim
