// SPDX-License-Identifier: Apache-2.0
// The clock that every process of a machine reads alike.
#pragma once

#include <cstdint>
#include <ctime>

namespace pegasus::base {

// CLOCK_MONOTONIC in nanoseconds. Cannot fail: the clock exists on every Linux.
[[nodiscard]] inline std::uint64_t monotonic_ns() {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace pegasus::base
