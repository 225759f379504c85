// SPDX-License-Identifier: Apache-2.0
// The CPU schedule of local domains: the operating system's accounting of their processes in the terms of a
// hypervisor. Reads /proc.
#pragma once

#include "monitor/credit_window.h"

#include <map>
#include <sys/types.h>

namespace pegasus::scheduler {

using policies::Nanos;
using policies::Time;

class ProcessSchedule {
public:
  // True if one of its threads is on a CPU or waits for one: Linux does not tell the two apart.
  [[nodiscard]] static bool running(pid_t process);
  [[nodiscard]] Nanos credit_left(pid_t process, Time now);
  void forget(pid_t process) { windows_.erase(process); }

private:
  std::map<pid_t, monitor::CreditWindow> windows_;
};

} // namespace pegasus::scheduler
