// SPDX-License-Identifier: Apache-2.0
#include "nested/guest/totals_reader.h"

#include <algorithm>
#include <atomic>
#include <sched.h>

namespace pegasus::nested {

std::optional<TotalsReader> TotalsReader::open(frontend::TransportError& error) {
  frontend::Transport* const transport = frontend::open_transport(PEGASUS_CONNECT_TOTALS, error);
  if (transport == nullptr) return std::nullopt;
  if (transport->connect_reply().channel_bytes != sizeof(pegasus_totals)) {
    error = {
        0,
        "the accelerator daemon's totals are not laid out as this program knows them: install both from one "
        "release"};
    return std::nullopt;
  }
  return TotalsReader(*transport);
}

std::optional<std::vector<pegasus_task_total>> TotalsReader::read() {
  std::vector<pegasus_task_total> tasks;
  while (!transport_->hung_up()) {
    if (copy(tasks)) return tasks;
    sched_yield();
  }
  return std::nullopt;
}

bool TotalsReader::copy(std::vector<pegasus_task_total>& tasks) const {
  auto& totals = *reinterpret_cast<pegasus_totals*>(transport_->memory());
  std::atomic_ref const sequence(totals.sequence);
  auto const before = sequence.load(std::memory_order_acquire);
  auto const* const first = totals.task;
  tasks.assign(first, first + std::min(totals.tasks, PEGASUS_TOTALS_TASKS));
  std::atomic_thread_fence(std::memory_order_acquire);
  return before % 2 == 0 && sequence.load(std::memory_order_relaxed) == before;
}

} // namespace pegasus::nested
