// SPDX-License-Identifier: Apache-2.0
// How long a thread has waited for a CPU while it could have run, as Linux counts it (schedstat of proc(5)). Who stops
// late for want of a CPU is not to blame.
#pragma once

#include "base/unique_fd.h"

#include <chrono>
#include <string>
#include <sys/types.h>

namespace pegasus::scheduler {

class RunDelay {
public:
  RunDelay() = default;                                    // of nobody: always zero
  [[nodiscard]] static RunDelay of_process(pid_t process); // of its first thread
  [[nodiscard]] static RunDelay of_this_thread();

  // Zero if the system does not tell.
  [[nodiscard]] std::chrono::nanoseconds so_far() const;

private:
  explicit RunDelay(std::string const& path);

  base::UniqueFd fd_;
};

} // namespace pegasus::scheduler
