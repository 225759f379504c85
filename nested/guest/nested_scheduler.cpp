// SPDX-License-Identifier: Apache-2.0
#include "nested/guest/nested_scheduler.h"

#include <algorithm>
#include <utility>

namespace pegasus::nested {

bool NestedScheduler::look(std::chrono::nanoseconds now) {
  auto const totals = reader_.read();
  if (!totals) return false;
  follow(*totals);
  stop_those_ahead(now);
  return true;
}

void NestedScheduler::follow(std::vector<pegasus_task_total> const& totals) {
  for (auto& [process, known] : known_) {
    known.calling = false;
    std::erase_if(known.tasks, [&totals, process = process](auto const& entry) {
      return std::ranges::none_of(totals, [&](pegasus_task_total const& task) {
        return task.task == entry.first && task.process == process;
      });
    });
  }
  for (pegasus_task_total const& task : totals)
    follow(task);
  std::erase_if(known_, [](auto const& entry) { return entry.second.tasks.empty(); });
}

void NestedScheduler::follow(pegasus_task_total const& task) {
  Known& known = known_[task.process];
  auto const [entry, is_new] = known.tasks.try_emplace(task.task, task.device_ns);
  // A new task may be that of another process, which got the number of one that has ended.
  if (is_new && !known.program.emplace(processes_, task.process).problem().empty())
    report_(known.program->problem());
  std::uint64_t const before = std::exchange(entry->second, task.device_ns);
  known.used += task.device_ns - std::min(before, task.device_ns);
  known.calling = known.calling || task.calling != 0;
}

void NestedScheduler::stop_those_ahead(std::chrono::nanoseconds now) {
  std::vector<TaskUse> uses;
  for (auto const& [process, known] : known_)
    uses.push_back({.task = process,
                    .weight = weight_of(*known.program),
                    .device_time = std::chrono::nanoseconds(static_cast<std::int64_t>(known.used)),
                    .calling = known.calling});
  auto const stopped = stopper_.stop(uses, now);
  for (auto& [process, known] : known_)
    known.program->set_stopped(std::ranges::binary_search(stopped, process));
}

double NestedScheduler::weight_of(Program const& program) const {
  auto const found = weights_.find(program.name());
  return found == weights_.end() ? 1 : found->second;
}

std::vector<NestedScheduler::Share> NestedScheduler::shares() {
  std::vector<Share> shares;
  double all = 0;
  for (auto& [process, known] : known_) {
    auto const used = static_cast<double>(known.used - std::exchange(known.shown, known.used));
    shares.push_back({&*known.program, weight_of(*known.program), used});
    all += used;
  }
  for (Share& each : shares)
    each.share = all == 0 ? 0 : each.share / all;
  return shares;
}

} // namespace pegasus::nested
