// SPDX-License-Identifier: Apache-2.0
// What the buckets of caps.h and reservations.h have in common: device time that comes at the rate of a part.
#pragma once

#include "policies/view.h"

#include <cmath>
#include <cstdint>

namespace pegasus::scheduler::token_bucket {

using policies::Nanos;

// Of the device's time at the part's rate: what a domain may save up.
inline constexpr Nanos window{std::chrono::milliseconds(100)};
// A wrong total does no lasting harm.
inline constexpr Nanos deepest{std::chrono::seconds(10)};
// A level over a smaller part is no time that can be counted.
inline constexpr double least_part = 1e-8;

[[nodiscard]] inline Nanos times(Nanos time, double factor) {
  return Nanos{static_cast<std::int64_t>(std::ceil(static_cast<double>(time.count()) * factor))};
}

} // namespace pegasus::scheduler::token_bucket
