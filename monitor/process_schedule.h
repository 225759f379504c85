// SPDX-License-Identifier: Apache-2.0
// The CPU schedule of local domains: what the operating system's accounting says of their processes, in the
// terms of a hypervisor's. Reads /proc.
#pragma once

#include "policies/view.h"

#include <map>
#include <sys/types.h>

namespace pegasus::monitor {

using policies::Nanos;
using policies::Time;

class ProcessSchedule {
public:
  // As Xen's credit scheduler, which hands out credit every 30 ms.
  static constexpr Nanos period{std::chrono::milliseconds(30)};

  // One of its threads is on a CPU or waits for one: Linux does not tell the two apart.
  [[nodiscard]] static bool running(pid_t process);
  // What is left of a whole CPU for this period, by what it used in the one before.
  [[nodiscard]] Nanos credit_left(pid_t process, Time now);
  void forget(pid_t process) { windows_.erase(process); }

private:
  struct Window {
    Time began{0};
    Nanos used_before{0}; // CPU time since it was born, at the beginning of the window
    bool known = false;   // and there was a window before
    Nanos left = period;
  };
  std::map<pid_t, Window> windows_;
};

} // namespace pegasus::monitor
