// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/run_delay.h"

#include <cinttypes>
#include <cstdio>
#include <fcntl.h>

namespace pegasus::scheduler {

RunDelay::RunDelay(std::string const& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

RunDelay RunDelay::of_process(pid_t process) {
  return RunDelay("/proc/" + std::to_string(process) + "/schedstat");
}

RunDelay RunDelay::of_this_thread() { return RunDelay("/proc/thread-self/schedstat"); }

std::chrono::nanoseconds RunDelay::so_far() const {
  char text[64]; // three numbers: time on a CPU, time that it waited for one, time slices
  ssize_t const length = fd_ ? pread(fd_.get(), text, sizeof text - 1, 0) : -1;
  if (length <= 0) return {};
  text[length] = '\0';
  std::int64_t waited = 0;
  return std::sscanf(text, "%*[0-9] %" SCNd64, &waited) == 1 ? std::chrono::nanoseconds(waited)
                                                             : std::chrono::nanoseconds{};
}

} // namespace pegasus::scheduler
