// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/task_slices.h"

#include "domA/scheduler/records.h"

#include <algorithm>

namespace pegasus::scheduler {

void TaskSlices::attach(TaskRecord& task) {
  task.turn = {.tag = virtual_time_};
  tasks_.insert(&task);
}

void TaskSlices::detach(TaskRecord& task) {
  line_.erase(task.turn.tag, task);
  tasks_.erase(&task);
  if (running_ == &task) running_ = nullptr;
}

void TaskSlices::read(TaskRecord& task, Reading const& reading) {
  Turn& turn = task.turn;
  line_.erase(turn.tag, task);
  turn.tag += std::max(reading.used, reading.gate_open / 2);
  if (running_ == &task) ran_ += reading.gate_open;
  if (reading.ready && !turn.ready) {
    turn.tag = std::max(turn.tag, virtual_time_ - lengths_.slice);
    turn.woke = running_ != &task;
  }
  turn.ready = reading.ready;
  if (turn.ready && !turn.held) line_.insert(turn.tag, task);
}

void TaskSlices::hold(TaskRecord& task, bool held) {
  task.turn.held = held;
  if (held) {
    line_.erase(task.turn.tag, task);
    if (running_ == &task) running_ = nullptr;
  } else if (task.turn.ready) {
    line_.insert(task.turn.tag, task);
  }
}

TaskRecord* TaskSlices::pick() {
  if (line_.empty()) return next();
  if (goes_on()) return running_;
  running_ = &line_.first();
  running_->turn.woke = false;
  virtual_time_ = std::max(virtual_time_, running_->turn.tag);
  ran_ = Nanos{0};
  return running_;
}

bool TaskSlices::in_step(TaskRecord const& task) {
  if (line_.empty()) return true;
  Nanos const least = line_.first_key();
  virtual_time_ = std::max(virtual_time_, least - (max_lead_slices - 1) * lengths_.slice);
  return task.turn.tag - least <= max_lead_slices * lengths_.slice;
}

TaskRecord* TaskSlices::next() const {
  if (!line_.empty()) return &line_.first();
  if (running_ != nullptr) return running_;
  auto const free = std::ranges::find_if(tasks_, [](TaskRecord const* task) { return !task->turn.held; });
  return free == tasks_.end() ? nullptr : *free;
}

std::optional<Nanos> TaskSlices::pick_in() const {
  if (running_ == nullptr) return std::nullopt;
  std::size_t const others = line_.size() - (running_->turn.ready ? 1 : 0);
  if (others == 0) return std::nullopt;
  return std::max((awaited() ? lengths_.min_granularity : lengths_.slice) - ran_, Nanos{0});
}

bool TaskSlices::goes_on() const {
  return running_ != nullptr && running_->turn.ready && ran_ < lengths_.slice &&
         (ran_ < lengths_.min_granularity || !awaited());
}

// The next task has calls again and is behind.
bool TaskSlices::awaited() const {
  TaskRecord const& next = line_.first();
  return &next != running_ && next.turn.woke;
}

void TaskSlices::Turn::visit(policies::StateVisitor& state) {
  state.field("tag", tag);
  state.field("ready", ready);
  state.field("woke", woke);
  state.field("held", held);
}

void TaskSlices::restore(TaskRecord& task) {
  tasks_.insert(&task);
  if (task.turn.ready && !task.turn.held) line_.insert(task.turn.tag, task);
}

void TaskSlices::visit(policies::StateVisitor& state, Records& records) {
  std::optional<policies::TaskId> running;
  if (running_ != nullptr) running = running_->id;
  state.field("running", running);
  state.duration("ran", ran_);
  state.field("virtual_time", virtual_time_);
  if (!state.restoring() || !running) return;
  TaskRecord* const task = records.find(*running);
  bool const known = task != nullptr && tasks_.contains(task);
  state.require(known, "running");
  if (known) running_ = task;
}

} // namespace pegasus::scheduler
