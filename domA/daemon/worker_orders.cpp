// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/worker_orders.h"

#include <utility>

namespace pegasus::daemon {

void WorkerOrders::give(Accelerator& accelerator, TaskId task, gate::OrderKind kind, Then then) {
  auto& given = lines_.try_emplace(task, Line{&accelerator, {}}).first->second.given;
  bool const first = given.empty();
  if (first || given.back().kind != kind) given.push_back({kind, {}});
  given.back().askers.push_back(std::move(then));
  if (first) post_first(task);
}

// The scheduler does not know a task whose worker was killed and does not end.
void WorkerOrders::post_first(TaskId task) {
  Line const& line = lines_.at(task);
  Accelerator& accelerator = *line.accelerator;
  gate::Order const order{.kind = line.given.front().kind, .amount = accelerator.memory_bytes()};
  if (!accelerators_.on_schedulers_thread([&] { return accelerator.scheduler().order(task, order); }))
    left(task);
}

// The next order goes out first: who is told of this answer may let the task run.
void WorkerOrders::answered(scheduler::Answered const& answered) {
  auto const found = lines_.find(answered.task);
  if (found == lines_.end() || found->second.given.front().kind != answered.order.kind) return;
  std::deque<Given>& given = found->second.given;
  std::vector<Then> const askers = std::move(given.front().askers);
  given.pop_front();
  if (given.empty())
    lines_.erase(found);
  else
    post_first(answered.task);
  for (Then const& then : askers)
    then(answered.answer);
}

void WorkerOrders::left(TaskId task) {
  auto const ended = lines_.extract(task);
  if (ended.empty()) return;
  for (Given const& given : ended.mapped().given)
    for (Then const& then : given.askers)
      then(std::nullopt);
}

} // namespace pegasus::daemon
