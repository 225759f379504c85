// SPDX-License-Identifier: Apache-2.0
// utilization: domains that use the device most do not share (DymGPU III-B, Figure 6).
//
// The busiest domains first, V0 .. VK-1 stand side by side from the left while they fit. All others stand at the right
// end, each up to the last slot. All are placed anew every 20 s (`period`). Until then a domain that arrives stands at
// the right end, too: nothing is known of its use yet.
//
// Promise: no domain that has a place is moved within `period` of the last time.
#pragma once

#include "policies/residency/problem.h"

namespace pegasus::residency {

[[nodiscard]] Answer place_by_utilization(Problem const& problem, Tunables const& tunables);

// Figure 6, of all domains.
[[nodiscard]] std::vector<Place> places_by_utilization(Problem const& problem);

} // namespace pegasus::residency
