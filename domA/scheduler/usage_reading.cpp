// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/usage_reading.h"

#include <algorithm>
#include <climits>

namespace pegasus::scheduler {

using policies::Nanos;

// executing_since_ns is read first: the worker writes the total that the work becomes part of after its end.
monitor::TaskTotals totals_of(gate::UsagePage const& page, Nanos clock_at_zero) {
  auto const relaxed = std::memory_order_relaxed;
  auto const positive = [](std::uint64_t ns) {
    return Nanos(static_cast<std::int64_t>(std::min<std::uint64_t>(ns, INT64_MAX)));
  };
  monitor::TaskTotals totals;
  if (auto const since = page.executing_since_ns.load(std::memory_order_acquire); since != 0)
    totals.executing_since = policies::Time{positive(since) - clock_at_zero};
  totals.waiting = gate::wants_device(page.activity.load(std::memory_order_acquire));
  totals.requests_waiting = page.requests_waiting.load(relaxed);
  totals.device_busy = positive(page.device_busy_ns.load(relaxed));
  // Acquired: a call that is part of it is not seen as one that goes on.
  totals.host_busy = positive(page.host_busy_ns.load(std::memory_order_acquire));
  totals.calls = page.calls.load(relaxed);
  totals.sync_calls = page.sync_calls.load(relaxed);
  totals.bytes = page.bytes.load(relaxed);
  totals.memory_bytes = page.memory_bytes.load(relaxed);
  return totals;
}

std::array<std::uint32_t, gate::latency_buckets> latency_of(gate::UsagePage const& page) {
  std::array<std::uint32_t, gate::latency_buckets> counters;
  for (std::size_t b = 0; b < counters.size(); ++b)
    counters[b] = page.latency_bucket[b].load(std::memory_order_relaxed);
  return counters;
}

} // namespace pegasus::scheduler
