// SPDX-License-Identifier: Apache-2.0
// The orders that workers have to obey (gate/orders.h), at most one a task. From the moment that it has an order a task
// may not have the device; once its gate is closed and drained the order is posted, and it may again once the worker
// has answered. A worker that does not answer within the limit is treated as one that does not stop: its task is
// given up. A call on the host, which the worker cannot interrupt, has a limit of its own; nobody is to blame for
// waiting for a CPU, nor for a caller that does not look.
#pragma once

#include "domA/gate/orders.h"
#include "policies/view.h"

#include <algorithm>
#include <map>
#include <vector>

namespace pegasus::scheduler {

using policies::Nanos;
using policies::TaskId;
using policies::Time;

class TaskOrders {
public:
  struct Limits {
    Nanos answer;
    Nanos host_call; // the longest call on the host
  };
  // Between two looks at a task whose order is posted.
  static constexpr std::chrono::milliseconds look_interval{20};

  struct Given {
    gate::Order order;
    bool posted = false;
    Time looked_at{};  // from here on: since it was posted
    Nanos waited{0};   // for the answer
    Nanos on_host{0};  // ... while the worker executed a call on the host
    Nanos cpu_wait{0}; // of the worker, when the order was posted
  };

  explicit TaskOrders(Limits const& limits) : limits_(limits) {}

  // Returns false if the task has an order that is not answered.
  [[nodiscard]] bool give(TaskId task, gate::Order const& order);
  void forget(TaskId task); // it has left, or its order has been answered

  [[nodiscard]] bool has(TaskId task) const { return orders_.contains(task); }
  [[nodiscard]] bool empty() const { return orders_.empty(); }
  [[nodiscard]] bool posted(TaskId task) const;                // it has one, and its worker was told
  [[nodiscard]] std::vector<TaskId> tasks() const;             // that have one, ordered
  [[nodiscard]] auto begin() const { return orders_.begin(); } // of pairs: a task, and what it was Given
  [[nodiscard]] auto end() const { return orders_.end(); }

  // The order that is to be posted now. `cpu_wait`: how long its worker has waited for CPUs so far.
  gate::Order post(TaskId task, Nanos cpu_wait, Time now);
  // Of a task whose order is posted and not answered. True: it is late, if `cpu_wait()` is taken off.
  template <class CpuWait> [[nodiscard]] bool late(TaskId task, bool on_host, CpuWait cpu_wait, Time now) {
    Given& given = orders_.at(task);
    Nanos const passed = std::min<Nanos>(now - given.looked_at, 2 * look_interval);
    given.looked_at = now;
    (on_host ? given.on_host : given.waited) += passed;
    if (given.on_host >= limits_.host_call) return true;
    return given.waited >= limits_.answer &&
           given.waited - std::max(cpu_wait() - given.cpu_wait, Nanos{0}) >= limits_.answer;
  }

private:
  Limits limits_;
  std::map<TaskId, Given> orders_;
};

} // namespace pegasus::scheduler
