// SPDX-License-Identifier: Apache-2.0
// How long a thread has been on a CPU, and has waited for one while it could have run. What a thread computes cannot be
// hidden from it, and who stops late for want of a CPU is not to blame.
#pragma once

#include <chrono>

namespace pegasus::scheduler {

struct CpuTimes {
  std::chrono::nanoseconds used{0};
  std::chrono::nanoseconds waited{0};
};

} // namespace pegasus::scheduler
