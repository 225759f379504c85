// SPDX-License-Identifier: Apache-2.0
// size: as few shared slots as possible (DymGPU III-B, Figure 5).
//
// The largest domains first, V0 .. VK-1 stand side by side from the left while they fit. VK stands at the right end, on
// top of a part of VK-1. All others begin where VK begins, on top of the slots that are shared anyway.
//
// A domain that arrives stands on free slots, or there as well. All are placed anew when fewer slots are shared then: the
// arrival was longer than the shared slots, or a domain that left (or is idle) had slots of its own.
//
// Promise: of domains that stay, hold as much as before and remain busy, none is moved.
//
// On CUDA the places of slots do not matter, and fewer of them need to be shared: see cost.h, which has the smallest
// overlay if all domains have equal turns.
#pragma once

#include "policies/residency/problem.h"

namespace pegasus::residency {

[[nodiscard]] Answer place_by_size(Problem const& problem, Tunables const& tunables);

// Figure 5, of all domains.
[[nodiscard]] std::vector<Place> places_by_size(Problem const& problem);

} // namespace pegasus::residency
