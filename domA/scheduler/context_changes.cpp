// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/context_changes.h"

#include "domA/scheduler/records.h"

#include <algorithm>

namespace pegasus::scheduler {

void ContextChanges::opened(TaskRecord& task) {
  if (cost_nothing()) return;
  Use& use = task.device_use;
  use.at_opening = use.device_time;
  use.gained = owner_ && owner_ != task.id;
}

void ContextChanges::read(TaskRecord& task, Nanos device_time, std::optional<Time> executing_since,
                          Time now) {
  if (cost_nothing()) return;
  Use& use = task.device_use;
  use.executing_since = executing_since;
  if (device_time <= use.device_time) return;
  use.device_time = device_time;
  use.used_at = now;
  owner_ = task.id;
}

// The device changes when the first work of an opening comes to it; a GPU's worker says that work executes when it is
// queued.
void ContextChanges::closed(TaskRecord& task, Time now) {
  if (cost_nothing()) return;
  Use& use = task.device_use;
  use.closed = now;
  Nanos const used = use.device_time - use.at_opening;
  bool const first = use.executing_since && used <= now - *use.executing_since;
  if (!use.gained || (used > Nanos{0} && !first))
    use.changes_to = now;
  else
    use.changes_to = (first ? *use.executing_since : now) + cost_;
}

Nanos ContextChanges::since(TaskRecord const& task, Time then, Records const& records) const {
  if (cost_nothing() || !task.device_use.closed) return Nanos{0};
  auto const others = std::ranges::count_if(records.tasks(), [&](auto const& each) {
    return each.first != task.id && each.second.device_use.used_at > *task.device_use.closed;
  });
  if (others > 0) return cost_ * (others + 1); // and back to it
  return std::max(task.device_use.changes_to - then, Nanos{0});
}

void ContextChanges::Use::visit(policies::StateVisitor& state) {
  state.duration("device_time", device_time);
  state.duration("at_opening", at_opening);
  state.claim("executing_since", executing_since);
  state.field("used_at", used_at);
  state.field("closed", closed);
  state.field("changes_to", changes_to);
  state.field("gained", gained);
}

} // namespace pegasus::scheduler
