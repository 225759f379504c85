// SPDX-License-Identifier: Apache-2.0
// How many granules places let be copied in a second, if domains have their turns at regular intervals.
//
// A turn of a domain copies a slot if another domain had it since its last turn. Between two turns of a domain each one
// that has as many turns or more comes at least once. So in each slot all turns copy, but for those of the domain with the
// most turns that nobody came between: of its f turns a second, a domain with g < f turns spares a part of 1 - g / f.
// In round robin, where all have their turns in each round, that is exact: a slot is copied as often as it has domains.
#pragma once

#include "policies/residency/problem.h"

#include <cstdint>
#include <span>
#include <vector>

namespace pegasus::residency {

// Of one slot that these domains have, from their turns a second.
[[nodiscard]] double copies_of_slot(std::span<double const> turns);

[[nodiscard]] double expected_copies(Problem const& problem, std::vector<Place> const& places);

} // namespace pegasus::residency
