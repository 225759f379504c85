// SPDX-License-Identifier: Apache-2.0
// Who has which slots, as runs of slots that the same domains have: their number depends on the domains and not on
// the size of the memory.
#pragma once

#include "policies/residency/plan.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pegasus::residency {

struct Region {
  Extent extent;
  std::vector<std::size_t> domains; // positions in the places, ascending; none: the slots are free
};

// All of the slots, ascending.
[[nodiscard]] std::vector<Region> regions_of(std::uint64_t slots, std::span<Place const> places);

[[nodiscard]] std::uint64_t shared_slots(std::span<Region const> regions);
[[nodiscard]] bool any_free(std::span<Region const> regions);

[[nodiscard]] std::uint64_t count(Place const& place);
// It has `count` slots, all of them below `slots`, and is ordered as a Place is to be.
[[nodiscard]] bool is_valid(Place const& place, std::uint64_t count, std::uint64_t slots);
// The same slots in the form of a Place.
[[nodiscard]] Place ordered(Place extents);
// Those of `place` that `before` does not have.
[[nodiscard]] std::uint64_t new_slots(Place const& place, Place const& before);

} // namespace pegasus::residency
