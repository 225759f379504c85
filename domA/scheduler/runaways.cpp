// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/runaways.h"

#include "domA/scheduler/records.h"

#include <algorithm>
#include <utility>

namespace pegasus::scheduler {

void Runaways::executes(TaskRecord& task, std::optional<Time> since) {
  move(executing_, task, task.conduct.executes, since);
}

void Runaways::blocks(TaskRecord& task, std::optional<Time> since) {
  move(blocking_, task, task.conduct.blocks, since);
}

void Runaways::shares(TaskRecord& task, std::size_t tasks) {
  task.conduct.sharers = std::max(task.conduct.sharers, static_cast<std::uint32_t>(tasks));
}

void Runaways::stopped(TaskRecord& task) {
  task.conduct.sharers = 1;
  executes(task, std::nullopt);
  blocks(task, std::nullopt);
}

void Runaways::pass_over(Nanos stall) {
  for (auto const& [since, task] : std::exchange(blocking_, {})) {
    task->conduct.blocks = since + stall;
    blocking_.insert(since + stall, *task);
  }
}

bool Runaways::give_up(TaskRecord& task) { return !std::exchange(task.conduct.given_up, true); }

std::vector<TaskRecord*> Runaways::take(Time now, bool shared,
                                        std::function<bool(TaskRecord const&)> const& others_wait,
                                        std::function<Nanos(TaskRecord const&)> const& of_others) {
  std::vector<TaskRecord*> guilty;
  if (shared)
    for (TaskRecord* const task : overdue(executing_, now))
      if (!task->conduct.blocks && others_wait(*task)) guilty.push_back(task);
  for (TaskRecord* const task : overdue(blocking_, now))
    if (task->conduct.blame(now - *task->conduct.blocks, of_others(*task)) >= limit_) guilty.push_back(task);
  std::erase_if(guilty, [](TaskRecord* task) { return !give_up(*task); });
  return guilty;
}

void Runaways::move(Since& all, TaskRecord& task, std::optional<Time>& from, std::optional<Time> to) {
  if (from == to) return;
  if (from) all.erase(*from, task);
  if (to) all.insert(*to, task);
  from = to;
}

std::vector<TaskRecord*> Runaways::overdue(Since const& all, Time now) const {
  std::vector<TaskRecord*> tasks;
  for (auto const& [since, task] : all) {
    if (now - since < limit_) break;
    tasks.push_back(task);
  }
  std::ranges::sort(tasks, {}, &TaskRecord::id);
  return tasks;
}

bool Runaways::any_overdue(Time now) const {
  auto const late = [&](Since const& all) { return !all.empty() && now - all.first_key() >= limit_; };
  return late(executing_) || late(blocking_);
}

void Runaways::Conduct::visit(policies::StateVisitor& state) {
  state.claim("executes", executes);
  state.field("blocks", blocks);
  state.field("sharers", sharers);
  state.require(sharers >= 1, "sharers");
  state.field("given_up", given_up);
}

void Runaways::restore(Records& records) {
  for (auto& [id, task] : records.tasks()) {
    if (task.conduct.executes) executing_.insert(*task.conduct.executes, task);
    if (task.conduct.blocks) blocking_.insert(*task.conduct.blocks, task);
  }
}

} // namespace pegasus::scheduler
