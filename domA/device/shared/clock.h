// SPDX-License-Identifier: Apache-2.0
// The device's own clock: CLOCK_MONOTONIC, the same in every process of the machine, so that a time one
// worker writes into the engine's page means the same to the daemon.
#pragma once

#include <chrono>
#include <ctime>

namespace pegasus::shared {

[[nodiscard]] inline std::chrono::nanoseconds device_now() {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC,
                      &now); // cannot fail: the clock exists on every Linux and `now` is ours
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

} // namespace pegasus::shared
