// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/task_orders.h"

#include "domA/gate/gate.h"
#include "domA/scheduler/records.h"

#include <algorithm>

namespace pegasus::scheduler {

namespace {

// A worker that fails to evict leaves all where it is; one that fails to restore may have restored a part.
bool returns_memory(TaskOrders::Answered const& answered) {
  bool const done = answered.answer.status == gate::OrderStatus::done;
  return answered.order.kind == (done ? gate::OrderKind::restore : gate::OrderKind::evict);
}

} // namespace

bool TaskOrders::give(TaskRecord& task, gate::Order const& order) {
  if (task.order) return false;
  task.order = {.order = order};
  if (order.kind == gate::OrderKind::evict) task.evicted = true;
  tasks_.emplace(task.id, &task);
  return true;
}

void TaskOrders::forget(TaskRecord& task) {
  if (!task.order) return;
  task.order.reset();
  tasks_.erase(task.id);
}

std::vector<TaskId> TaskOrders::tasks() const {
  std::vector<TaskId> ids;
  for (auto const& [id, task] : tasks_)
    ids.push_back(id);
  return ids;
}

std::vector<TaskOrders::Answered> TaskOrders::take_answers(gate::Gate const& gate) {
  std::vector<Answered> answered;
  for (auto const& [id, task] : tasks_)
    if (auto const answer = task->order->posted ? gate.answer(id) : std::nullopt)
      answered.push_back({task, task->order->order, *answer});
  for (Answered const& each : answered) {
    if (returns_memory(each)) each.task->evicted = false;
    forget(*each.task);
  }
  return answered;
}

std::vector<TaskOrders::Step> TaskOrders::post(gate::Gate& gate, Time now) {
  std::vector<Step> steps;
  for (auto const& [id, task] : tasks_) {
    Step step{.task = task, .posted = nullptr, .asleep = false, .late = false};
    if (Given& given = *task->order; !given.posted) {
      if (!gate.may_post(id)) continue;
      given.posted = true;
      given.looked_at = now;
      given.cpu_wait = cpu_wait(*task);
      step.posted = &gate.post(id, given.order);
    }
    auto const activity = task->usage_page->activity.load();
    step.asleep = activity == gate::Activity::idle;
    step.late = late(*task, activity == gate::Activity::on_host, now);
    steps.push_back(step);
  }
  return steps;
}

Nanos TaskOrders::cpu_wait(TaskRecord const& task) const {
  return cpu_times_ ? cpu_times_(task.id).waited : Nanos{0};
}

// The CPU's times are read only when they decide.
bool TaskOrders::late(TaskRecord& task, bool on_host, Time now) const {
  Given& given = *task.order;
  Nanos const passed = std::min<Nanos>(now - given.looked_at, 2 * look_interval);
  given.looked_at = now;
  (on_host ? given.on_host : given.waited) += passed;
  if (given.on_host >= limits_.host_call) return true;
  Nanos const limit = longest(given.order);
  return given.waited >= limit && given.waited - std::max(cpu_wait(task) - given.cpu_wait, Nanos{0}) >= limit;
}

Nanos TaskOrders::longest(gate::Order const& order) const {
  if (order.kind != gate::OrderKind::evict && order.kind != gate::OrderKind::restore) return limits_.answer;
  return limits_.answer + std::chrono::seconds(order.amount / slowest_move);
}

// A kind that this build does not know is for the worker to refuse.
void TaskOrders::Given::visit(policies::StateVisitor& state) {
  auto kind = static_cast<std::uint32_t>(order.kind);
  state.field("kind", kind);
  order.kind = static_cast<gate::OrderKind>(kind);
  state.field("amount", order.amount);
  state.field("posted", posted);
  state.field("looked_at", looked_at);
  state.duration("waited", waited);
  state.duration("on_host", on_host);
  state.duration("cpu_wait", cpu_wait);
}

void TaskOrders::restore(Records& records) {
  for (auto& [id, task] : records.tasks())
    if (task.order) tasks_.emplace(id, &task);
}

} // namespace pegasus::scheduler
