// SPDX-License-Identifier: Apache-2.0
// cost: as few granules copied as possible. Ours.
//
// Who shares is a knapsack. A domain that has s slots in an overlay of length L copies at most s granules in each of its f
// turns a second; together sum(f s). All fits if sum(size - s) + L <= slots, and s <= L, s <= size. This bound counts only
// how much each domain shares, so no other arrangement of slots beats the best single overlay by it. For one length the
// cheapest filling takes the domains with the fewest turns first, as a fractional knapsack does. In the length the least
// sum is convex and piecewise linear, so the best length is among the few at which it bends (overlay.h). As a cache, it
// keeps the memory whose next use is furthest away out of the way of the others (Belady).
//
// Fewer granules are copied than that where a domain finds its slots as it left them: a busy domain may share with a
// single one that seldom runs. expected_copies.h knows that. By it the overlays of these lengths are compared, and the
// plans of size and utilization, and the least is taken: by that estimate it copies no more than either. In round robin
// the estimate is exact. That it is the least of all arrangements is not promised: only the bound above has a known optimum.
//
// Domains are moved only if what is saved within `period` is more than what the move copies, and no sooner after the last
// move than `settle` if a domain comes or left free slots, else than `period`. Meanwhile a domain that arrives takes the
// slots where it adds the fewest copies.
//
// A slot's place does not matter, as on CUDA, where the driver maps any memory to any address: a domain may have several
// runs of slots. With equal turns this is the smallest overlay, DymGPU's `size` without adjacent slots.
//
// Promise: no domain that has a place is moved twice within `settle`.
#pragma once

#include "policies/residency/problem.h"

namespace pegasus::residency {

[[nodiscard]] Answer place_by_cost(Problem const& problem, Tunables const& tunables);

// What it would choose if moves cost nothing.
[[nodiscard]] std::vector<Place> places_by_cost(Problem const& problem);

} // namespace pegasus::residency
