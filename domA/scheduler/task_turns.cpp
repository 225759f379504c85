// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/task_turns.h"

#include <algorithm>

namespace pegasus::scheduler {

void TaskTurns::attach(TaskId task) { tasks_.push_back({.id = task, .tag = virtual_time_}); }

void TaskTurns::detach(TaskId task) {
  std::erase_if(tasks_, [task](Task const& each) { return each.id == task; });
  if (running_ == task) running_.reset();
}

void TaskTurns::read(TaskId id, Reading const& reading) {
  Task* const task = find(id);
  if (task == nullptr) return;
  task->tag += std::max(reading.used, reading.gate_open / 2);
  if (running_ == id) ran_ += reading.gate_open;
  if (reading.ready && !task->ready) {
    task->tag = std::max(task->tag, virtual_time_ - lengths_.slice);
    task->woke = running_ != id;
  }
  task->ready = reading.ready;
}

std::optional<TaskId> TaskTurns::pick() {
  Task const* const before = running();
  Task const* const best = least();
  if (best == nullptr) return before != nullptr ? before->id : tasks_.empty() ? running_ : tasks_.front().id;
  bool const goes_on = before != nullptr && before->ready && ran_ < lengths_.slice &&
                       (ran_ < lengths_.grain || !awaited(*before));
  if (goes_on) return running_;
  Task* const next = find(best->id);
  next->woke = false;
  virtual_time_ = std::max(virtual_time_, next->tag);
  running_ = next->id;
  ran_ = Nanos{0};
  return running_;
}

std::optional<Nanos> TaskTurns::pick_in() const {
  Task const* const now = running();
  if (now == nullptr || std::ranges::count_if(tasks_, &Task::ready) < (now->ready ? 2 : 1))
    return std::nullopt;
  return std::max((awaited(*now) ? lengths_.grain : lengths_.slice) - ran_, Nanos{0});
}

TaskTurns::Task* TaskTurns::find(std::optional<TaskId> task) {
  auto const found = std::ranges::find(tasks_, task, &Task::id);
  return found == tasks_.end() ? nullptr : &*found;
}

TaskTurns::Task const* TaskTurns::running() const {
  auto const found = std::ranges::find(tasks_, running_, &Task::id);
  return found == tasks_.end() ? nullptr : &*found;
}

TaskTurns::Task const* TaskTurns::least() const {
  Task const* best = nullptr;
  for (Task const& task : tasks_)
    if (task.ready && (best == nullptr || task.tag < best->tag)) best = &task;
  return best;
}

// Who is next has calls again, and is behind.
bool TaskTurns::awaited(Task const& running) const {
  Task const* const next = least();
  return next != nullptr && next->woke && next->id != running.id;
}

} // namespace pegasus::scheduler
