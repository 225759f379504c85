// SPDX-License-Identifier: Apache-2.0
// What pegasusd asks of workers (domA/gate/orders.h): a task gets one order after the other, and who waits for an answer
// is told, also when the task ends before it has answered.
#pragma once

#include "domA/daemon/accelerators.h"
#include "domA/daemon/domain.h"

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
  void give(Task const& task, gate::OrderKind kind, Then then);
  void answered(Task const& task, scheduler::Answered const& answered);
  void left(TaskId task);

private:
  struct Given {
    gate::OrderKind kind;
    std::vector<Then> askers;
  };
  void post(Task const& task, gate::OrderKind kind);

  Accelerators& accelerators_;
  std::map<TaskId, std::deque<Given>> given_; // the first one is posted
};

} // namespace pegasus::daemon
