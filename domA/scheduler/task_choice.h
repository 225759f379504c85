// SPDX-License-Identifier: Apache-2.0
// Carries out the decision: chooses among the tasks of its domains, and tells the gates which of them run, until when,
// and how long their pieces of work may be.
#pragma once

#include "domA/gate/gate.h"
#include "domA/scheduler/scheduler_state.h"

#include <vector>

namespace pegasus::scheduler {

class TaskChoice {
public:
  TaskChoice(SchedulerState& state, gate::Gate& gate) : state_(state), gate_(gate) {}

  void make(); // each domain of the decision has a record

private:
  void run(std::vector<TaskId> const& tasks);
  [[nodiscard]] std::vector<TaskId> tasks_in_turn();
  [[nodiscard]] std::uint64_t slice_ends() const;  // as in gate::GatePage
  [[nodiscard]] gate::Gate::Pieces pieces() const; // as in gate::GatePage

  SchedulerState& state_;
  gate::Gate& gate_;
};

} // namespace pegasus::scheduler
