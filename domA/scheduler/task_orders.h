// SPDX-License-Identifier: Apache-2.0
// The orders that workers have to obey (gate/orders.h), at most one a task. From the moment that it has an order a task
// may not have the device; once its gate is closed and drained the order is posted, and it may again once the worker
// has answered. A worker that does not answer within the limit is treated as one that does not stop: its task is
// given up; where it moves memory it has as much longer as the slowest machine takes. A call on the host, which the worker cannot interrupt, has a limit of its own; nobody is to blame for
// waiting for a CPU, nor for a caller that does not look.
#pragma once

#include "domA/gate/orders.h"
#include "domA/scheduler/cpu_times.h"
#include "policies/state_visitor.h"
#include "policies/view.h"

#include <functional>
#include <map>
#include <vector>

namespace pegasus::gate {
class Gate;
}

namespace pegasus::scheduler {

using policies::Nanos;
using policies::TaskId;
using policies::Time;

struct TaskRecord; // records.h
class Records;

class TaskOrders {
public:
  struct Limits {
    Nanos answer;
    Nanos host_call; // the longest call on the host
  };
  using CpuTimesOf = std::function<CpuTimes(TaskId)>;
  // Between two looks at a task whose order is posted.
  static constexpr std::chrono::milliseconds look_interval{20};
  // Memory is moved at least as fast, in bytes per second.
  static constexpr std::uint64_t slowest_move = 256 << 20;

  struct Given {
    gate::Order order;
    bool posted = false;
    Time looked_at{};  // from here on: since it was posted
    Nanos waited{0};   // for the answer
    Nanos on_host{0};  // ... while the worker executed a call on the host
    Nanos cpu_wait{0}; // of the worker, when the order was posted

    void visit(policies::StateVisitor& state);
  };

  // `cpu_times`: of a task's worker; nullptr: not known.
  TaskOrders(Limits const& limits, CpuTimesOf cpu_times)
      : limits_(limits), cpu_times_(std::move(cpu_times)) {}

  // Returns false if the task has an order that is not answered.
  [[nodiscard]] bool give(TaskRecord& task, gate::Order const& order);
  void forget(TaskRecord& task); // it has left, or its order has been answered

  [[nodiscard]] bool empty() const { return tasks_.empty(); }
  [[nodiscard]] std::vector<TaskId> tasks() const; // that have one, ordered

  struct Answered {
    TaskRecord* task;
    gate::Order order;
    gate::Answer answer;
  };
  [[nodiscard]] std::vector<Answered> take_answers(gate::Gate const& gate); // ordered by task

  // What is to be done for an order.
  struct Step {
    TaskRecord* task;
    std::atomic<std::uint32_t>* posted; // now: the word on which its worker may be asleep; nullptr: before
    bool asleep;                        // its worker, perhaps, on its ring
    bool late;                          // its worker has not answered in time
  };
  // Posts the orders of the tasks that have stopped. Returns the tasks whose order is posted.
  [[nodiscard]] std::vector<Step> post(gate::Gate& gate, Time now);

  void restore(Records& records); // that have been visited

private:
  [[nodiscard]] Nanos cpu_wait(TaskRecord const& task) const;
  [[nodiscard]] bool late(TaskRecord& task, bool on_host, Time now) const;
  [[nodiscard]] Nanos longest(gate::Order const& order) const; // until its answer

  Limits limits_;
  CpuTimesOf cpu_times_;
  std::map<TaskId, TaskRecord*> tasks_; // that have an order
};

} // namespace pegasus::scheduler
