// SPDX-License-Identifier: Apache-2.0
#include "nested/guest/nested_scheduler.h"

#include <algorithm>
#include <utility>

namespace pegasus::nested {

bool NestedScheduler::look(std::chrono::nanoseconds now) {
  auto totals = reader_.read();
  if (!totals) return false;
  totals_ = std::move(*totals);
  follow(totals_);
  stop_those_ahead(totals_, now);
  return true;
}

void NestedScheduler::follow(std::vector<pegasus_task_total> const& totals) {
  std::erase_if(programs_, [&](auto const& known) {
    return std::ranges::none_of(totals, [&](pegasus_task_total const& task) {
      return task.task == known.first && task.process == known.second.process();
    });
  });
  for (pegasus_task_total const& task : totals)
    if (!programs_.contains(task.task)) programs_.try_emplace(task.task, processes_, task.process);
}

void NestedScheduler::stop_those_ahead(std::vector<pegasus_task_total> const& totals,
                                       std::chrono::nanoseconds now) {
  std::vector<TaskUse> uses;
  for (pegasus_task_total const& task : totals)
    uses.push_back({.task = task.task,
                    .weight = weight_of(programs_.at(task.task)),
                    .device_time = std::chrono::nanoseconds(static_cast<std::int64_t>(task.device_ns)),
                    .calling = task.calling != 0});
  auto const stopped = stopper_.stop(uses, now);
  for (auto& [task, program] : programs_)
    program.set_stopped(std::ranges::binary_search(stopped, task));
}

double NestedScheduler::weight_of(Program const& program) const {
  auto const found = weights_.find(program.name());
  return found == weights_.end() ? 1 : found->second;
}

std::vector<NestedScheduler::Share> NestedScheduler::shares() {
  std::map<std::uint32_t, std::uint64_t> used;
  std::uint64_t all = 0;
  for (pegasus_task_total const& task : totals_) {
    std::uint64_t const before = std::exchange(shown_[task.task], task.device_ns);
    all += used[task.task] = task.device_ns - std::min(before, task.device_ns);
  }
  std::vector<Share> shares;
  for (auto const& [task, program] : programs_)
    shares.push_back({&program, weight_of(program),
                      all == 0 ? 0 : static_cast<double>(used[task]) / static_cast<double>(all)});
  return shares;
}

} // namespace pegasus::nested
