// SPDX-License-Identifier: Apache-2.0
// Device time over a weight: what the tags of fair queuing count.
#pragma once

#include "policies/view.h"

#include <algorithm>
#include <cstdint>

namespace pegasus::policies {

[[nodiscard]] constexpr bool is_weight(std::int64_t weight) {
  return weight >= min_credits && weight <= max_credits;
}
// No domain is ahead by so much device time that was not restored from something else.
inline constexpr Nanos most_ahead{std::chrono::hours(4)};

// L / w, normalised: a weight of default_credits counts as 1.
[[nodiscard]] constexpr Nanos weighted(Nanos time, std::int64_t weight) {
  return time * std::int64_t{default_credits} / weight;
}
[[nodiscard]] constexpr Nanos unweighted(Nanos tag, std::int64_t weight) {
  return tag / std::int64_t{default_credits} * weight;
}

// Whether a tag is one that a domain of this weight can have at the virtual time.
[[nodiscard]] constexpr bool in_reach(Nanos tag, Nanos virtual_time, std::int64_t weight) {
  return is_weight(weight) && tag <= virtual_time + weighted(most_ahead, weight);
}

// By how much a tag is ahead of the virtual time when its domain gets another weight: the device time by which
// the domain is ahead, or behind, stays the same. It is behind by at most `max_lag` of device time, and ahead
// by at most `max_debt`.
[[nodiscard]] constexpr Nanos at_weight(Nanos ahead, std::int64_t before, std::int64_t after, Nanos max_lag,
                                        Nanos max_debt) {
  return std::clamp(ahead, -weighted(max_lag, before), weighted(max_debt, before)) * before / after;
}

} // namespace pegasus::policies
