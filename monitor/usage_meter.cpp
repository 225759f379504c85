// SPDX-License-Identifier: Apache-2.0
#include "monitor/usage_meter.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pegasus::monitor {

namespace {

double seconds(Nanos time) { return std::chrono::duration<double>(time).count(); }

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max()
                                                           : a + b;
}

Nanos saturating_sum(Nanos a, Nanos b) { return a > Nanos::max() - b ? Nanos::max() : a + b; } // both >= 0

// Growth of a counter, no faster than the rate allows; none if it decreased.
std::uint64_t credible_growth(std::uint64_t before, std::uint64_t now, double per_second, Nanos elapsed) {
  if (now <= before) return 0;
  const double most = std::min(per_second * seconds(elapsed), 9e18); // fits in a u64
  return std::min(now - before, static_cast<std::uint64_t>(most));
}

// The exponential average after `elapsed` in which there were `count` events.
double decayed_rate(double rate, std::uint64_t count, Nanos elapsed, Nanos half_life) {
  if (elapsed <= Nanos{0} || half_life <= Nanos{0}) return rate;
  const double kept = std::exp2(-seconds(elapsed) / seconds(half_life));
  return rate * kept + static_cast<double>(count) / seconds(elapsed) * (1 - kept);
}

} // namespace

void UsageMeter::attach(TaskId task, DomainId domain, Time now) {
  detach(task);
  tasks_.insert_or_assign(task, Task{.domain = domain, .read_at = now, .raw = {}});
  update_levels(domain);
}

void UsageMeter::detach(TaskId task) {
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return;
  const DomainId domain = found->second.domain;
  tasks_.erase(found);
  update_levels(domain);
}

void UsageMeter::forget(DomainId domain) {
  std::erase_if(tasks_, [domain](auto const& task) { return task.second.domain == domain; });
  domains_.erase(domain);
  latency_.erase(domain);
}

// A kernel may have begun before the reading before this one, and counts when it ends: so what was not
// claimed of the time that passed is kept, up to the longest kernel.
Nanos UsageMeter::credible_busy(Task& task, Nanos claimed, Nanos gate_open, Nanos elapsed) const {
  task.time_room = saturating_sum(std::min(task.time_room, limits_.overrun), elapsed);
  if (gate_open > Nanos{0}) task.gate_room = saturating_sum(limits_.overrun, gate_open);
  const Nanos credible = std::clamp(claimed, Nanos{0}, std::min(task.time_room, task.gate_room));
  task.time_room -= credible;
  task.gate_room -= credible;
  return credible;
}

void UsageMeter::read(TaskId id, TaskTotals const& raw, Nanos gate_open, Time now) {
  const auto found = tasks_.find(id);
  if (found == tasks_.end()) return;
  Task& task = found->second;
  const Nanos elapsed = std::max(now - task.read_at, Nanos{0});
  const Nanos open = std::clamp(gate_open, Nanos{0}, elapsed);
  const Nanos busy_now = std::max(raw.device_busy, Nanos{0});

  const Nanos busy = credible_busy(task, busy_now - task.raw.device_busy, open, elapsed);
  const auto calls = credible_growth(task.raw.calls, raw.calls, limits_.calls_per_second, elapsed);
  const auto sync_calls =
      credible_growth(task.raw.sync_calls, raw.sync_calls, limits_.calls_per_second, elapsed);
  const auto bytes = credible_growth(task.raw.bytes, raw.bytes, limits_.bytes_per_second, elapsed);

  task.sync_call_rate = decayed_rate(task.sync_call_rate, sync_calls, elapsed, limits_.rate_half_life);
  task.raw = raw;
  task.raw.device_busy = busy_now;
  task.read_at = std::max(now, task.read_at);

  DomainUsage& domain = domains_[task.domain];
  domain.device_busy = saturating_sum(domain.device_busy, busy);
  domain.calls = saturating_sum(domain.calls, calls);
  domain.sync_calls = saturating_sum(domain.sync_calls, sync_calls);
  domain.bytes = saturating_sum(domain.bytes, bytes);
  update_levels(task.domain);
}

void UsageMeter::read_latency(TaskId id, LatencyCounters counters) {
  if (const auto found = tasks_.find(id); found != tasks_.end())
    latency_[found->second.domain].merge(found->second.latency, counters);
}

// What is not a total but the state of the tasks there are.
void UsageMeter::update_levels(DomainId id) {
  DomainUsage& domain = domains_[id];
  domain.tasks = domain.calls_waiting = domain.on_device = 0;
  domain.memory_bytes = 0;
  domain.sync_call_rate = 0;
  for (auto const& [task_id, task] : tasks_) {
    if (task.domain != id) continue;
    ++domain.tasks;
    domain.calls_waiting += task.raw.waiting ? 1 : 0;
    domain.on_device += task.raw.on_device ? 1 : 0;
    domain.memory_bytes = saturating_sum(domain.memory_bytes, task.raw.memory_bytes);
    domain.sync_call_rate += task.sync_call_rate;
  }
}

DomainUsage UsageMeter::domain(DomainId id) const {
  const auto found = domains_.find(id);
  return found == domains_.end() ? DomainUsage{} : found->second;
}

LatencyHistogram const& UsageMeter::latency(DomainId id) const {
  static const LatencyHistogram nothing;
  const auto found = latency_.find(id);
  return found == latency_.end() ? nothing : found->second;
}

void UsageMeter::reset_latency() { latency_.clear(); }

void UsageMeter::fill(policies::DomainView& view) const {
  const DomainUsage usage = domain(view.id);
  view.tasks = usage.tasks;
  view.calls_waiting = usage.calls_waiting;
  view.on_device = usage.on_device;
  view.context_established = usage.memory_bytes > 0;
  view.sync_call_rate = usage.sync_call_rate;
  view.device_busy_total = usage.device_busy;
  view.memory_bytes = usage.memory_bytes;
}

} // namespace pegasus::monitor
