// SPDX-License-Identifier: Apache-2.0
// Which of a domain's tasks has the device in the domain's time slice: start-time fair queuing (Goyal, Vin
// and Cheng, SIGCOMM 1996) with device time, all tasks of equal weight. A program beside others of
// its domain receives its part whatever the length of their kernels (Fleig 3.1, 5.4), and policies
// need not know about tasks.
//
//   1. A task has a tag: the device time that it has used. The least tag goes first, for a slice.
//   2. The virtual time is the greatest tag that went first. A task that has calls again joins there, less at
//      most one slice that it was behind: no task saves up time while it is idle.
//   3. A task that has calls again and is behind the running one interrupts it, after the minimum
//      granularity.
//   4. A gate that is open without use of the device counts half: it denies the device to the others.
//
// Where domains share the device, several tasks of a domain run at once. Then only the tasks that are
// ahead of the domain's least tag by more than four slices are held back, and one that has calls again may
// be as far behind.
#pragma once

#include "domA/scheduler/record_queue.h"
#include "policies/state_visitor.h"
#include "policies/view.h"

#include <optional>
#include <set>

namespace pegasus::scheduler {

using policies::Nanos;

struct TaskRecord; // records.h
class Records;

// Of one domain.
class TaskSlices {
public:
  struct Lengths {
    Nanos slice{0};
    Nanos min_granularity{0}; // no switch for less than this
  };
  // Of a task.
  struct Turn {
    Nanos tag{0};
    bool ready = false;
    bool woke = false; // it had no calls for a while, and has not run since
    bool held = false;

    void visit(policies::StateVisitor& state);
  };

  void set(Lengths const& lengths) { lengths_ = lengths; }

  void attach(TaskRecord& task);
  void detach(TaskRecord& task);
  [[nodiscard]] std::set<TaskRecord*, ById> const& tasks() const { return tasks_; }
  struct Reading {
    bool ready;         // it has calls
    Nanos used;         // device time since the previous reading
    Nanos gate_open{0}; // ... and how long it had the device to itself
  };
  void read(TaskRecord& task, Reading const& reading);
  // A task that is held does not run, whatever it has, until it is released.
  void hold(TaskRecord& task, bool held);

  // Picks the task that runs from now on; nullptr if there is none that may.
  [[nodiscard]] TaskRecord* pick();
  // The task that would run if the running one stopped now; nullptr if there is none.
  [[nodiscard]] TaskRecord* next() const;
  // True if the task may have the device beside others of its domain. Moves the virtual time.
  [[nodiscard]] bool in_step(TaskRecord const& task);
  // When to pick again if nothing happens; nullopt if no other task has calls.
  [[nodiscard]] std::optional<Nanos> pick_in() const;

  void restore(TaskRecord& task); // that has been visited
  // What it keeps beside its tasks, which have been restored, but for the lengths.
  void visit(policies::StateVisitor& state, Records& records);

private:
  static constexpr int max_lead_slices = 4;

  [[nodiscard]] bool goes_on() const;
  [[nodiscard]] bool awaited() const;

  Lengths lengths_;
  std::set<TaskRecord*, ById> tasks_;
  RecordQueue<TaskRecord, Nanos> line_; // of those that have calls, by their tags
  TaskRecord* running_ = nullptr;
  Nanos ran_{0}; // since it was picked
  Nanos virtual_time_{0};
};

} // namespace pegasus::scheduler
