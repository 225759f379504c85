// SPDX-License-Identifier: Apache-2.0
// For tests: why a scenario is refused.
#pragma once

#include "sim/scenario/scenario_file.h"

#include <string>
#include <string_view>

namespace pegasus::sim::testing {

// Empty if it is not.
inline std::string error_of(std::string_view text) {
  auto const scenario = parse_scenarios(text, "s.toml");
  return scenario ? "" : scenario.error();
}

inline constexpr auto one_program = "[[domain.program]]\nsteps = [\"launch 2ms\", \"sync\"]\n";

} // namespace pegasus::sim::testing
