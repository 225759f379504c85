// SPDX-License-Identifier: Apache-2.0
// A scenario as the text of a file (sim/README.md) from which pegasus-sim reads it again. Without what a file
// cannot say: other costs than the usual ones, and a recording.
#pragma once

#include "policies/registry.h"
#include "sim/scenario/scenario.h"

#include <string>

namespace pegasus::sim::testing {

[[nodiscard]] std::string as_toml(Scenario const& scenario);

// "xc hold=20000000ns", as pegasus-sim's --policy takes it. The tick is the scenario's.
[[nodiscard]] std::string as_option(policies::Choice const& policy);

} // namespace pegasus::sim::testing
