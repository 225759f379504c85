// SPDX-License-Identifier: Apache-2.0
// What pegasusd asks of workers (domA/gate/orders.h): a task gets one order after the other, and who waits for an answer
// is told, also when the task ends before it has answered.
#pragma once

#include "domA/daemon/accelerators.h"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace pegasus::daemon {

class WorkerOrders {
public:
  // Called once; nullopt: the task has ended.
  using Then = std::function<void(std::optional<gate::Answer> const&)>;

  explicit WorkerOrders(Accelerators& accelerators) : accelerators_(accelerators) {}

  // After the orders that the task has. If the last one of these is of this kind, its answer is for both.
  void give(Accelerator& accelerator, TaskId task, gate::OrderKind kind, Then then);
  void answered(scheduler::Answered const& answered);
  void left(TaskId task);

private:
  struct Given {
    gate::OrderKind kind;
    std::vector<Then> askers;
  };
  struct Line { // of a task
    Accelerator* accelerator;
    std::deque<Given> given; // the first one is posted
  };
  void post_first(TaskId task);

  Accelerators& accelerators_;
  std::map<TaskId, Line> lines_; // none is empty
};

} // namespace pegasus::daemon
