// SPDX-License-Identifier: Apache-2.0
// How long the device may have been changing to the contexts of other tasks, and to a task's own, when the task should
// already have stopped. Changes are not reported: what is known is what one costs, and which tasks the device
// works for. The answer is an upper limit; a task gains at most a change for each task that the device then works for.
//
// Without a cost nothing is kept.
#pragma once

#include "policies/state_visitor.h"
#include "policies/view.h"

#include <optional>

namespace pegasus::scheduler {

using policies::Nanos;
using policies::TaskId;
using policies::Time;

struct TaskRecord; // records.h
class Records;

class ContextChanges {
public:
  struct Use { // of the device, by a task
    Nanos device_time{0};
    Nanos at_opening{0};
    std::optional<Time> executing_since{};
    Time used_at{};               // the device, last, by a reading
    std::optional<Time> closed{}; // its gate, last
    Time changes_to{};            // ... until when the device may then have been changing to it
    bool gained = false;          // the device belonged to another task when its gate was opened

    void visit(policies::StateVisitor& state);
  };
  explicit ContextChanges(Nanos cost) : cost_(cost) {}

  void opened(TaskRecord& task); // its gate
  void closed(TaskRecord& task, Time now);
  // A reading, before `closed` at the same time: all its device time, and since when its work executes.
  void read(TaskRecord& task, Nanos device_time, std::optional<Time> executing_since, Time now);

  [[nodiscard]] bool cost_nothing() const { return cost_ <= Nanos{0}; }
  // Of the time since then, which is not before the task's gate was closed; `records`: with those of all tasks.
  [[nodiscard]] Nanos since(TaskRecord const& task, Time then, Records const& records) const;

  void visit(policies::StateVisitor& state) { state.field("owner", owner_); } // beside the records

private:
  Nanos cost_;
  std::optional<TaskId> owner_; // whose work it did last
};

} // namespace pegasus::scheduler
