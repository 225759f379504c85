// SPDX-License-Identifier: Apache-2.0
// Tasks that keep other domains waiting beyond their time slice: since when, for how long, and what follows. Their
// domain is barred for a while (back_off.h); those that do not stop at all are given up (runaways.h).
#pragma once

#include "domA/scheduler/charging.h"
#include "domA/scheduler/scheduler_state.h"

#include <cstddef>
#include <span>
#include <vector>

namespace pegasus::scheduler {

// At the time SchedulerState::now.
class Overruns {
public:
  Overruns(SchedulerState& state, Charging& charging) : state_(state), charging_(charging) {}

  // The task was told to stop, or has not stopped yet: it keeps others waiting from now on, if they want the device.
  void closed(TaskRecord& task);
  void drains(TaskRecord& task, std::size_t sharers); // of the device, itself among them
  // The task no longer has the device. Its domain pays for the time that the task kept the device from others
  // beyond its promised time.
  void stopped(TaskRecord const& task);
  // Bars the domains that overran when the policy has charged them. Who owes nothing even so has kept nobody from what is
  // theirs. Returns true if there are any.
  [[nodiscard]] bool bar_debtors();
  // The bars that have ended.
  void end_bars();
  // The tasks that are given up now, each once.
  [[nodiscard]] std::vector<TaskId> give_up();

private:
  void blocks(TaskRecord& task);
  [[nodiscard]] double parts_of(std::span<DomainId const> domains, DomainId of) const;

  SchedulerState& state_;
  Charging& charging_;
};

} // namespace pegasus::scheduler
