// SPDX-License-Identifier: Apache-2.0
// Reads a thread's CpuTimes, as Linux counts them (schedstat of proc(5)).
#pragma once

#include "base/unique_fd.h"
#include "domA/scheduler/cpu_times.h"

#include <string>
#include <sys/types.h>

namespace pegasus::scheduler {

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
