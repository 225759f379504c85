// SPDX-License-Identifier: Apache-2.0
// The totals in the daemon's answers, at two times.
#pragma once

#include <cstdint>

namespace pegasus::control {

// Totals only grow, unless the statistics were reset in between: then they count from the reset.
[[nodiscard]] constexpr std::uint64_t growth(std::uint64_t before, std::uint64_t now) {
  return now >= before ? now - before : now;
}

} // namespace pegasus::control
