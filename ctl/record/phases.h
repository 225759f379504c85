// SPDX-License-Identifier: Apache-2.0
// A domain's intervals as phases: spans of time in which it behaves alike.
#pragma once

#include "ctl/record/interval.h"

#include <cstddef>
#include <span>
#include <vector>

namespace pegasus::ctl {

// Consecutive intervals belong to two phases if one of these differs by more:
inline constexpr double idle_limit = 0.25;     // the part of the time between calls
inline constexpr double length_limit = 2;      // the device time of a call, as a factor
inline constexpr double outstanding_limit = 2; // calls for each synchronous one, as a factor
inline constexpr double tasks_limit = 1.5;     // tasks, as a factor
// Fewer calls than this say nothing of a call's device time and of how many are synchronous.
inline constexpr std::uint64_t telling_calls = 10;
// If more remain, the two neighbours that differ least become one, again and again.
inline constexpr std::size_t most_phases = 16;

// At least one, in the order of time, for at least one interval.
[[nodiscard]] std::vector<Interval> phases_of(std::span<Interval const> intervals);

} // namespace pegasus::ctl
