// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/shared_tasks.h"

#include "domA/scheduler/records.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pegasus::scheduler {

void SharedTasks::keep_step(bool keep_step) {
  keep_step_ = keep_step;
  begin_anew();
}

void SharedTasks::begin_anew() {
  run_.clear();
  tasks_.clear();
  changed_.clear();
}

void SharedTasks::forget(TaskId task) { std::erase(tasks_, task); }

std::set<DomainId> SharedTasks::take_changed(std::vector<DomainId> const& run) {
  std::set<DomainId> changed = std::exchange(changed_, {});
  if (run != run_) {
    std::ranges::set_symmetric_difference(run_, run, std::inserter(changed, changed.end()));
    run_ = run;
  }
  return changed;
}

void SharedTasks::look_at(DomainId domain, TaskSlices& slices, Change& change) const {
  bool const has_device = std::ranges::binary_search(run_, domain);
  for (TaskRecord const* const task : slices.tasks()) {
    bool const ran = std::ranges::binary_search(tasks_, task->id);
    bool const runs = has_device && !task->turn.held && (!keep_step_ || slices.in_step(*task));
    if (runs != ran) (runs ? change.come : change.go).push_back(task->id);
  }
}

void SharedTasks::make(Change& change) {
  if (change.come.empty() && change.go.empty()) return;
  std::ranges::sort(change.come);
  std::ranges::sort(change.go);
  std::vector<TaskId> stay, tasks;
  std::ranges::set_difference(tasks_, change.go, std::back_inserter(stay));
  std::ranges::merge(stay, change.come, std::back_inserter(tasks));
  tasks_ = std::move(tasks);
}

void SharedTasks::visit(policies::StateVisitor& state, Records const& records) {
  state.ascending("run", run_);
  state.ascending("tasks", tasks_);
  state.field("changed", changed_);
  auto const gone = [&records](TaskId task) { return records.find(task) == nullptr; };
  state.require(!std::ranges::any_of(tasks_, gone), "tasks");
}

} // namespace pegasus::scheduler
