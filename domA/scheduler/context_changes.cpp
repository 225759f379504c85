// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/context_changes.h"

#include <algorithm>

namespace pegasus::scheduler {

void ContextChanges::opened(TaskId id) {
  if (cost_nothing()) return;
  Task& task = tasks_[id];
  task.at_opening = task.device_time;
  task.gained = owner_ && owner_ != id;
}

void ContextChanges::read(TaskId id, Nanos device_time, std::optional<Time> executing_since, Time now) {
  if (cost_nothing()) return;
  Task& task = tasks_[id];
  task.executing_since = executing_since;
  if (device_time <= task.device_time) return;
  task.device_time = device_time;
  task.used_at = now;
  owner_ = id;
}

// The device changes when the first work of an opening comes to it; a GPU's worker says that work executes when it is
// queued.
void ContextChanges::closed(TaskId id, Time now) {
  if (cost_nothing()) return;
  Task& task = tasks_[id];
  task.closed = now;
  Nanos const used = task.device_time - task.at_opening;
  bool const first = task.executing_since && used <= now - *task.executing_since;
  if (!task.gained || (used > Nanos{0} && !first))
    task.changes_to = now;
  else
    task.changes_to = (first ? *task.executing_since : now) + cost_;
}

Nanos ContextChanges::since(TaskId id, Time then) const {
  auto const found = tasks_.find(id);
  if (found == tasks_.end()) return Nanos{0};
  Task const& task = found->second;
  auto const others = std::ranges::count_if(
      tasks_, [&](auto const& each) { return each.first != id && each.second.used_at > task.closed; });
  if (others > 0) return cost_ * (others + 1); // and back to it
  return std::max(task.changes_to - then, Nanos{0});
}

} // namespace pegasus::scheduler
