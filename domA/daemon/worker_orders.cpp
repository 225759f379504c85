// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/worker_orders.h"

#include <utility>

namespace pegasus::daemon {

void WorkerOrders::give(Task const& task, gate::OrderKind kind, Then then) {
  std::deque<Given>& line = given_[task.id];
  if (line.empty() || line.back().kind != kind) line.push_back({kind, {}});
  line.back().askers.push_back(std::move(then));
  if (line.size() == 1 && line.front().askers.size() == 1) post(task, kind);
}

// The scheduler does not know a task whose worker was killed and does not end.
void WorkerOrders::post(Task const& task, gate::OrderKind kind) {
  Accelerator& accelerator = *task.domain->accelerator;
  bool const given = accelerators_.on_schedulers_thread([&] {
    return accelerator.scheduler().order(task.id, {.kind = kind, .amount = accelerator.memory_bytes()});
  });
  if (!given) left(task.id);
}

// The next order goes out first: who is told of this answer may let the task run.
void WorkerOrders::answered(Task const& task, scheduler::Answered const& answered) {
  auto const found = given_.find(task.id);
  if (found == given_.end() || found->second.front().kind != answered.order.kind) return;
  std::vector<Then> const askers = std::move(found->second.front().askers);
  found->second.pop_front();
  if (found->second.empty())
    given_.erase(found);
  else
    post(task, found->second.front().kind);
  for (Then const& then : askers)
    then(answered.answer);
}

void WorkerOrders::left(TaskId task) {
  auto const ended = given_.extract(task);
  if (ended.empty()) return;
  for (Given const& given : ended.mapped())
    for (Then const& then : given.askers)
      then(std::nullopt);
}

} // namespace pegasus::daemon
