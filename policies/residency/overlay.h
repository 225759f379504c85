// SPDX-License-Identifier: Apache-2.0
// One overlay of a given length, and who has how much in it: what `cost` chooses among.
#pragma once

#include "policies/residency/problem.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace pegasus::residency {

// Of each domain, the slots that it has in an overlay of this length, in the order of the domains: those with the fewest
// turns have all that goes into it, up to the one with which all fits. nullopt: no filling lets all fit.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> fill_overlay(Problem const& problem,
                                                                     std::uint64_t length);

// Lengths of which one is the best to fill_overlay: the domains' own sizes, and for each number of domains the least
// with which all fits when so many of them are in the overlay as far as they go into it.
[[nodiscard]] std::vector<std::uint64_t> overlay_lengths(Problem const& problem);

// The overlay is at the left, what the domains have alone stands side by side behind it.
[[nodiscard]] std::vector<Place> places_with_overlay(Problem const& problem, std::uint64_t length,
                                                     std::vector<std::uint64_t> const& shared);

} // namespace pegasus::residency
