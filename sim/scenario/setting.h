// SPDX-License-Identifier: Apache-2.0
// A change of a scenario from the command line: --set KEY=VALUE.
#pragma once

#include <string>
#include <toml++/toml.h>

namespace pegasus::sim {

// `setting` is "KEY=VALUE". KEY is a path with dots, such as "cpus.scheduler" or "domain.0.weight": the first
// entry of [[domain]] is 0. VALUE is one of TOML, and a text if it is none. Throws control::TomlError if the path
// leads nowhere; whether the key exists and the value is valid is checked when the scenario is read.
void set(toml::table& document, std::string const& setting);

} // namespace pegasus::sim
