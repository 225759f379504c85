// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/runaways.h"

namespace pegasus::scheduler {

void Runaways::executes(TaskId id, std::optional<Time> since) {
  Task& task = tasks_[id];
  move(executing_, id, std::exchange(task.executes, since), since);
}

void Runaways::blocks(TaskId id, std::optional<Time> since) {
  Task& task = tasks_[id];
  move(blocking_, id, std::exchange(task.blocks, since), since);
}

void Runaways::stopped(TaskId id) {
  auto const found = tasks_.find(id);
  if (found == tasks_.end()) return;
  move(executing_, id, std::exchange(found->second.executes, std::nullopt), std::nullopt);
  move(blocking_, id, std::exchange(found->second.blocks, std::nullopt), std::nullopt);
}

void Runaways::pass_over(Nanos stall) {
  for (auto& [since, task] : blocking_)
    tasks_.at(task).blocks = since += stall;
}

void Runaways::forget(TaskId id) {
  stopped(id);
  tasks_.erase(id);
}

std::optional<Time> Runaways::blocks_since(TaskId id) const {
  auto const found = tasks_.find(id);
  return found == tasks_.end() ? std::nullopt : found->second.blocks;
}

bool Runaways::given_up(TaskId id) const {
  auto const found = tasks_.find(id);
  return found != tasks_.end() && found->second.given_up;
}

void Runaways::move(Since& all, TaskId task, std::optional<Time> from, std::optional<Time> to) {
  if (from == to) return;
  if (from) all.erase(std::ranges::lower_bound(all, std::pair(*from, task)));
  if (to) all.insert(std::ranges::lower_bound(all, std::pair(*to, task)), {*to, task});
}

std::vector<TaskId> Runaways::overdue(Since const& all, Time now) const {
  std::vector<TaskId> tasks;
  for (auto const& [since, task] : all) {
    if (now - since < limit_) break;
    tasks.push_back(task);
  }
  std::ranges::sort(tasks);
  return tasks;
}

bool Runaways::any_overdue(Time now) const {
  auto const late = [&](Since const& all) { return !all.empty() && now - all.front().first >= limit_; };
  return late(executing_) || late(blocking_);
}

} // namespace pegasus::scheduler
