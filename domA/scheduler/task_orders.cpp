// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/task_orders.h"

namespace pegasus::scheduler {

bool TaskOrders::give(TaskId task, gate::Order const& order) {
  return orders_.emplace(task, Given{.order = order}).second;
}

void TaskOrders::forget(TaskId task) { orders_.erase(task); }

bool TaskOrders::posted(TaskId task) const {
  auto const found = orders_.find(task);
  return found != orders_.end() && found->second.posted;
}

std::vector<TaskId> TaskOrders::tasks() const {
  std::vector<TaskId> tasks;
  for (auto const& [task, order] : orders_)
    tasks.push_back(task);
  return tasks;
}

gate::Order TaskOrders::post(TaskId task, Nanos cpu_wait, Time now) {
  Given& given = orders_.at(task);
  given.posted = true;
  given.looked_at = now;
  given.cpu_wait = cpu_wait;
  return given.order;
}

} // namespace pegasus::scheduler
