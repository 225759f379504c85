// SPDX-License-Identifier: Apache-2.0
// Which tasks keep other domains waiting for longer than the limit: by not stopping, or, where domains
// share the device, by executing. While the device works for others, a task that does not stop waits for them
// like everybody else: nobody is to blame for the time of others.
//
// The cost of a look grows with the tasks that are late, not with those that have the device.
#pragma once

#include "policies/view.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace pegasus::scheduler {

using policies::Nanos;
using policies::TaskId;
using policies::Time;

class Runaways {
public:
  explicit Runaways(Nanos limit) : limit_(limit) {}

  // Since when the device executes its work, while the task has the device or has not stopped; nullopt:
  // it does not.
  void executes(TaskId task, std::optional<Time> since);
  // Since when the task was told to stop while other domains wait; nullopt: it has stopped, or
  // no other waits.
  void blocks(TaskId task, std::optional<Time> since);
  void stopped(TaskId task);   // it no longer has the device
  void pass_over(Nanos stall); // no task that was told to stop is to blame for this time
  void forget(TaskId task);

  [[nodiscard]] std::optional<Time> blocks_since(TaskId task) const;
  [[nodiscard]] bool given_up(TaskId task) const;
  // For another reason. Returns false if it has been given up before.
  bool give_up(TaskId task) { return !std::exchange(tasks_[task].given_up, true); }

  [[nodiscard]] bool any_overdue(Time now) const;
  // Takes the tasks that are to be given up, each once. `shared`: several domains have the device.
  // `others_wait(task)`: domains other than the task's have calls. `of_others(task)`: what the device has
  // worked for other tasks since this one was told to stop.
  template <class OthersWait, class OfOthers>
  [[nodiscard]] std::vector<TaskId> take(Time now, bool shared, OthersWait others_wait, OfOthers of_others) {
    std::vector<TaskId> guilty;
    if (shared)
      for (TaskId const task : overdue(executing_, now))
        if (!tasks_.at(task).blocks && others_wait(task)) guilty.push_back(task);
    for (TaskId const task : overdue(blocking_, now))
      if (now - *tasks_.at(task).blocks - of_others(task) >= limit_) guilty.push_back(task);
    std::erase_if(guilty, [this](TaskId task) { return std::exchange(tasks_.at(task).given_up, true); });
    return guilty;
  }

private:
  struct Task {
    std::optional<Time> executes{};
    std::optional<Time> blocks{};
    bool given_up = false;
  };
  using Since = std::vector<std::pair<Time, TaskId>>; // ordered

  static void move(Since& all, TaskId task, std::optional<Time> from, std::optional<Time> to);
  [[nodiscard]] std::vector<TaskId> overdue(Since const& all, Time now) const; // ordered

  Nanos limit_;
  std::map<TaskId, Task> tasks_;
  Since executing_;
  Since blocking_;
};

} // namespace pegasus::scheduler
