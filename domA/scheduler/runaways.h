// SPDX-License-Identifier: Apache-2.0
// Which tasks keep other domains waiting for longer than the limit: by not stopping, or, where domains
// share the device, by executing. While the device works for others, a task that does not stop waits for them
// like everybody else: nobody is to blame for the time of others. That excuses it for so long only: among n tasks a
// device in turn, or first come, first served, has done a task's work when it has worked n times as long.
//
// The cost of a look grows with the tasks that are late, not with those that have the device.
#pragma once

#include "domA/scheduler/record_queue.h"
#include "policies/state_visitor.h"
#include "policies/view.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace pegasus::scheduler {

using policies::Nanos;
using policies::Time;

struct TaskRecord; // records.h
class Records;

class Runaways {
public:
  struct Conduct {
    std::optional<Time> executes{}; // since when
    std::optional<Time> blocks{};
    std::uint32_t sharers = 1; // tasks on the device since it was told to stop, at most, with itself
    bool given_up = false;     // this task, not an earlier one with its number

    // Of the `time` since it was told to stop, in which the device worked `of_others` for other tasks: what it kept them
    // waiting, if it was not to stop at all.
    [[nodiscard]] Nanos blame(Nanos time, Nanos of_others) const {
      return std::max(time - of_others, time / sharers);
    }
    void visit(policies::StateVisitor& state);
  };
  explicit Runaways(Nanos limit) : limit_(limit) {}

  // Since when the device executes its work, while the task has the device or has not stopped; nullopt:
  // it does not.
  void executes(TaskRecord& task, std::optional<Time> since);
  // Since when the task was told to stop while other domains wait; nullopt: it has stopped, or
  // no other waits.
  void blocks(TaskRecord& task, std::optional<Time> since);
  // How many tasks have the device, or have not stopped, while this one does not stop.
  static void shares(TaskRecord& task, std::size_t tasks);
  void stopped(TaskRecord& task); // it no longer has the device
  void pass_over(Nanos stall);    // no task that was told to stop is to blame for this time
  void forget(TaskRecord& task) { stopped(task); }

  // For another reason. Returns false if it has been given up before.
  [[nodiscard]] static bool give_up(TaskRecord& task);

  [[nodiscard]] bool any_overdue(Time now) const;
  // Takes the tasks that are to be given up, each once, ordered by id in two runs. `shared`: several domains have the
  // device. `others_wait(task)`: domains other than the task's have calls. `of_others(task)`: what the device has
  // worked for other tasks since this one was told to stop.
  [[nodiscard]] std::vector<TaskRecord*> take(Time now, bool shared,
                                              std::function<bool(TaskRecord const&)> const& others_wait,
                                              std::function<Nanos(TaskRecord const&)> const& of_others);

  void restore(Records& records); // that have been visited

private:
  using Since = RecordQueue<TaskRecord>;

  static void move(Since& all, TaskRecord& task, std::optional<Time>& from, std::optional<Time> to);
  [[nodiscard]] std::vector<TaskRecord*> overdue(Since const& all, Time now) const; // ordered by id

  Nanos limit_;
  Since executing_;
  Since blocking_;
};

} // namespace pegasus::scheduler
