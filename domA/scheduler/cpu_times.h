// SPDX-License-Identifier: Apache-2.0
// How long a thread has been on a CPU, and has waited for one while it could have run, as Linux counts them (schedstat
// of proc(5)). What a thread computes cannot be hidden from it, and who stops late for want of a CPU is not to blame.
#pragma once

#include "base/unique_fd.h"

#include <chrono>
#include <string>
#include <sys/types.h>

namespace pegasus::scheduler {

struct CpuTimes {
  std::chrono::nanoseconds used{0};
  std::chrono::nanoseconds waited{0};
};

class CpuTimesOf {
public:
  CpuTimesOf() = default;                                 // nobody: always zero
  [[nodiscard]] static CpuTimesOf process(pid_t process); // its first thread
  [[nodiscard]] static CpuTimesOf this_thread();

  // Zero if the system does not tell, or the process has ended.
  [[nodiscard]] CpuTimes so_far() const;

private:
  explicit CpuTimesOf(std::string const& path);

  base::UniqueFd fd_;
};

} // namespace pegasus::scheduler
