// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/shared_tasks.h"

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

void SharedTasks::choose_of(DomainId domain, TaskSlices& slices) {
  bool const has_device = std::ranges::binary_search(run_, domain);
  for (TaskId const task : slices.tasks()) {
    auto const place = std::ranges::lower_bound(tasks_, task);
    bool const ran = place != tasks_.end() && *place == task;
    bool const runs = has_device && (!keep_step_ || slices.in_step(task));
    if (runs && !ran) tasks_.insert(place, task);
    if (!runs && ran) tasks_.erase(place);
  }
}

} // namespace pegasus::scheduler
