// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/task_slices.h"

#include <algorithm>

namespace pegasus::scheduler {

void TaskSlices::attach(TaskId task) { tasks_[task] = {.tag = virtual_time_}; }

void TaskSlices::detach(TaskId id) {
  auto const found = tasks_.find(id);
  if (found == tasks_.end()) return;
  line_.erase({found->second.tag, id});
  tasks_.erase(found);
  if (running_ == id) running_.reset();
}

std::vector<TaskId> TaskSlices::tasks() const {
  std::vector<TaskId> ids;
  ids.reserve(tasks_.size());
  for (auto const& [id, task] : tasks_)
    ids.push_back(id);
  return ids;
}

void TaskSlices::read(TaskId id, Reading const& reading) {
  auto const found = tasks_.find(id);
  if (found == tasks_.end()) return;
  Task& task = found->second;
  line_.erase({task.tag, id});
  task.tag += std::max(reading.used, reading.gate_open / 2);
  if (running_ == id) ran_ += reading.gate_open;
  if (reading.ready && !task.ready) {
    task.tag = std::max(task.tag, virtual_time_ - lengths_.slice);
    task.woke = running_ != id;
  }
  task.ready = reading.ready;
  if (task.ready && !task.held) line_.insert({task.tag, id});
}

void TaskSlices::hold(TaskId id, bool held) {
  Task& task = tasks_.at(id);
  task.held = held;
  if (held) {
    line_.erase({task.tag, id});
    if (running_ == id) running_.reset();
  } else if (task.ready) {
    line_.insert({task.tag, id});
  }
}

std::optional<TaskId> TaskSlices::pick() {
  if (line_.empty()) return next();
  if (goes_on()) return running_;
  running_ = line_.begin()->task;
  Task& task = tasks_.at(*running_);
  task.woke = false;
  virtual_time_ = std::max(virtual_time_, task.tag);
  ran_ = Nanos{0};
  return running_;
}

bool TaskSlices::in_step(TaskId task) {
  if (line_.empty()) return true;
  Nanos const least = line_.begin()->tag;
  virtual_time_ = std::max(virtual_time_, least - (max_lead_slices - 1) * lengths_.slice);
  return tasks_.at(task).tag - least <= max_lead_slices * lengths_.slice;
}

std::optional<TaskId> TaskSlices::next() const {
  if (!line_.empty()) return line_.begin()->task;
  if (running_) return running_;
  auto const found = std::ranges::find_if(tasks_, [](auto const& each) { return !each.second.held; });
  return found == tasks_.end() ? std::nullopt : std::optional(found->first);
}

std::optional<Nanos> TaskSlices::pick_in() const {
  if (!running_) return std::nullopt;
  std::size_t const others = line_.size() - (tasks_.at(*running_).ready ? 1 : 0);
  if (others == 0) return std::nullopt;
  return std::max((awaited() ? lengths_.min_granularity : lengths_.slice) - ran_, Nanos{0});
}

bool TaskSlices::goes_on() const {
  return running_ && tasks_.at(*running_).ready && ran_ < lengths_.slice &&
         (ran_ < lengths_.min_granularity || !awaited());
}

// The next task has calls again and is behind.
bool TaskSlices::awaited() const {
  TaskId const next = line_.begin()->task;
  return next != running_ && tasks_.at(next).woke;
}

} // namespace pegasus::scheduler
