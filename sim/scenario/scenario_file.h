// SPDX-License-Identifier: Apache-2.0
// Reads a scenario from TOML; sim/README.md lists the keys.
#pragma once

#include "sim/scenario/scenario.h"

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace pegasus::sim {

// The error is "NAME:LINE:COLUMN: what is wrong, and what is expected".
[[nodiscard]] tl::expected<Scenario, std::string> parse_scenario(std::string_view text,
                                                                 std::string_view name);
[[nodiscard]] tl::expected<Scenario, std::string> read_scenario(std::string const& path);

} // namespace pegasus::sim
