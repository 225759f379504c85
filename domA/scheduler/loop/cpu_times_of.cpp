// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/cpu_times_of.h"

#include <cinttypes>
#include <cstdio>
#include <fcntl.h>

namespace pegasus::scheduler {

CpuTimesOf::CpuTimesOf(std::string const& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

CpuTimesOf CpuTimesOf::process(pid_t process) {
  return CpuTimesOf("/proc/" + std::to_string(process) + "/schedstat");
}

CpuTimesOf CpuTimesOf::this_thread() { return CpuTimesOf("/proc/thread-self/schedstat"); }

CpuTimes CpuTimesOf::so_far() const {
  char text[64]; // three numbers: time on a CPU, time that it waited for one, time slices
  ssize_t const length = fd_ ? pread(fd_.get(), text, sizeof text - 1, 0) : -1;
  if (length <= 0) return {};
  text[length] = '\0';
  std::int64_t used = 0, waited = 0;
  if (std::sscanf(text, "%" SCNd64 " %" SCNd64, &used, &waited) != 2) return {};
  return {.used = std::chrono::nanoseconds(used), .waited = std::chrono::nanoseconds(waited)};
}

} // namespace pegasus::scheduler
