// SPDX-License-Identifier: Apache-2.0
// The device's clock: CLOCK_MONOTONIC. It is the same in every process of the machine, so a time that a
// worker writes into the engine's page is valid for the daemon.
#pragma once

#include <chrono>
#include <ctime>

namespace pegasus::shared {

[[nodiscard]] inline std::chrono::nanoseconds device_now() {
  timespec now{};
  // Cannot fail: the clock exists on every Linux.
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

} // namespace pegasus::shared
