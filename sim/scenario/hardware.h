// SPDX-License-Identifier: Apache-2.0
// Reads what a scenario says of its host: [cpus], [dom0], [[accelerator]]. All throw a control::TomlError.
#pragma once

#include "control/toml_table.h"
#include "sim/scenario/scenario.h"

#include <string>

namespace pegasus::sim {

using control::TomlTable;

void read_cpus(toml::node const& node, Scenario& scenario);
void read_dom0(toml::node const& node, Scenario& scenario); // after read_cpus()
// `variant`: one of `vary`, for which "$" stands; empty without `vary`.
[[nodiscard]] Engine::Options read_accelerator(TomlTable& table, std::string const& variant);
// How the hypervisor schedules a domain in a pool of this number of pCPUs.
[[nodiscard]] VcpuSettings read_cpu(TomlTable& table, unsigned pcpus);

} // namespace pegasus::sim
