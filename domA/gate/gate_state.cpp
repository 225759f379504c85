// SPDX-License-Identifier: Apache-2.0
// What of the gates is saved, and how it comes back. The pages keep the rest.
#include "domA/gate/gate.h"

#include <vector>

namespace pegasus::gate {

void Gate::Pieces::visit(policies::StateVisitor& state) {
  state.field("from_ns", from_ns);
  state.field("longest_ns", longest_ns);
}

void Gate::visit(policies::StateVisitor& state) {
  std::vector<TaskId> started;
  for (auto const& [task, slot] : slots_)
    if (slot.started) started.push_back(task);
  state.ascending("started", started);
  state.ascending("run", run_);
  state.ascending("wake", wake_);
  state.ascending("beside", beside_);
  state.ascending("open", open_);
  state.ascending("draining", draining_);
  state.field("ends_at_ns", ends_at_ns_);
  state.field("pieces", pieces_);
  state.field("lease_until_ns", lease_until_ns_);
  state.field("drained", drained_);
  if (!state.restoring()) return;
  for (std::vector<TaskId>* const list : {&started, &run_, &wake_, &beside_, &open_, &draining_}) {
    auto const gone = std::erase_if(*list, [this](TaskId task) { return !slots_.contains(task); });
    state.require(gone == 0, "a gate's task");
  }
  for (TaskId const task : started)
    slots_.at(task).started = true;
  for (TaskId const task : open_)
    slots_.at(task).open = true;
}

} // namespace pegasus::gate
