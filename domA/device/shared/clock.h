// SPDX-License-Identifier: Apache-2.0
// The device's clock: CLOCK_MONOTONIC. It is the same in every process of the machine, so a time that a
// worker writes into its page is valid for the daemon.
#pragma once

#include "base/clock.h"

#include <chrono>

namespace pegasus::shared {

[[nodiscard]] inline std::chrono::nanoseconds device_now() {
  return std::chrono::nanoseconds{base::monotonic_ns()};
}

} // namespace pegasus::shared
