// SPDX-License-Identifier: Apache-2.0
// Reads scenarios from TOML; sim/README.md lists the keys. A file is one scenario, or, with `vary`, one for
// each of its texts.
#pragma once

#include "sim/scenario/scenario.h"

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::sim {

// At least one. The error is "NAME:LINE:COLUMN: what is wrong, and what is expected", with "--set SETTING" in
// the place of a position if the fault is in one of `settings` (setting.h), which are made in their order
// before the text is read.
using Scenarios = tl::expected<std::vector<Scenario>, std::string>;
[[nodiscard]] Scenarios parse_scenarios(std::string_view text, std::string_view name,
                                        std::vector<std::string> const& settings = {});
[[nodiscard]] Scenarios read_scenarios(std::string const& path,
                                       std::vector<std::string> const& settings = {});

} // namespace pegasus::sim
