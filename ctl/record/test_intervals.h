// SPDX-License-Identifier: Apache-2.0
// For tests: intervals of one task.
#pragma once

#include "ctl/record/interval.h"

#include <cstdint>

namespace pegasus::ctl {

inline constexpr std::uint64_t ms = 1'000'000;

// Of one task, and all calls are synchronous.
[[nodiscard]] inline Interval interval(std::uint64_t length_ms, std::uint64_t device_ms,
                                       std::uint64_t waited_ms, std::uint64_t calls) {
  return {.length_ns = length_ms * ms,
          .device_ns = device_ms * ms,
          .calls = calls,
          .sync_calls = calls,
          .waited_ns = waited_ms * ms,
          .in_calls_ns = (device_ms + waited_ms) * ms,
          .task_ns = length_ms * ms,
          .with_tasks_ns = length_ms * ms};
}

} // namespace pegasus::ctl
