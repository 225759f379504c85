// SPDX-License-Identifier: Apache-2.0
// Makes a scenario for which something fails as small as it can while that still fails: what remains
// is what matters.
#pragma once

#include "sim/scenario/scenario.h"

#include <functional>

namespace pegasus::sim::testing {

// Without domains, programs, phases, steps and accelerators that are not needed, with settings at their
// defaults and times and counts halved. `fails` is true of `scenario`, and is asked for each change; none
// makes the result smaller.
[[nodiscard]] Scenario shrink(Scenario scenario, std::function<bool(Scenario const&)> const& fails);

} // namespace pegasus::sim::testing
