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

// The growth of a counter, limited by the rate; 0 if it decreased.
std::uint64_t credible_growth(std::uint64_t before, std::uint64_t now, double per_second, Nanos elapsed) {
  if (now <= before) return 0;
  double const most = std::min(per_second * seconds(elapsed), 9e18); // fits in a u64
  return std::min(now - before, static_cast<std::uint64_t>(most));
}

// The exponential average after `count` events in `elapsed`.
double decayed_rate(double rate, std::uint64_t count, Nanos elapsed, Nanos half_life) {
  if (elapsed <= Nanos{0} || half_life <= Nanos{0}) return rate;
  double const kept = std::exp2(-seconds(elapsed) / seconds(half_life));
  return rate * kept + static_cast<double>(count) / seconds(elapsed) * (1 - kept);
}

} // namespace

UsageMeter::Task UsageMeter::attach(DomainUsage& domain, Time now) {
  Task const task{.usage = &domain, .read_at = now};
  add_levels(task);
  return task;
}

void UsageMeter::gate_opened(Task& task, Time now) {
  task.gate = Gate::open;
  task.opened = now;
}

void UsageMeter::gate_closed(Task& task, Time now) const {
  task.gate = Gate::draining;
  task.closed = now;
  task.claimed_at_closing = saturating_sum(task.booked, task.host);
  task.others_at_closing = of_others(task);
}

void UsageMeter::drained(Task& task, Time now) {
  if (task.gate != Gate::draining) return;
  book(task, held_since_closing(task, now));
  set_provisional(task, Nanos{0});
  task.time_room = task.gate_room = Nanos{0}; // all its work has been claimed
  task.gate = Gate::closed;
}

void UsageMeter::detach(Task& task, Time now) {
  Nanos const held = task.gate == Gate::draining ? held_since_closing(task, now) : Nanos{0};
  book(task, std::max(executing(task, now), held));
  set_provisional(task, Nanos{0});
  take_levels(task);
}

void UsageMeter::pass_over(Task& task, Nanos stall) {
  if (task.gate == Gate::draining) task.closed += stall;
}

// A kernel may have begun before the previous reading, and counts when it ends. Unclaimed time is therefore
// kept, up to the longest kernel.
Nanos UsageMeter::credible_busy(Task& task, Nanos claimed, Nanos gate_open, Nanos elapsed) const {
  Nanos const longest = std::max(limits_.overrun, task.provisional);
  task.time_room = saturating_sum(std::min(task.time_room, longest), elapsed);
  if (gate_open > Nanos{0}) task.gate_room = saturating_sum(longest, gate_open);
  return std::clamp(claimed, Nanos{0}, std::min(task.time_room, task.gate_room));
}

// A call is claimed when it is done, which may be many readings after it began.
Nanos UsageMeter::credible_host(Task& task, Nanos claimed, Nanos elapsed) {
  task.host_room = saturating_sum(task.host_room, elapsed);
  Nanos const host = std::clamp(claimed, Nanos{0}, task.host_room);
  task.host_room -= host;
  return host;
}

Nanos UsageMeter::of_others(Task const& task) const { return of_tasks_ - task.booked - task.provisional; }

Nanos UsageMeter::of_others_since_closing(Task const& task) const {
  return std::max(of_others(task) - task.others_at_closing, Nanos{0});
}

// Without what it claimed, and without what the device did for others meanwhile: from them it kept nothing.
Nanos UsageMeter::held_since_closing(Task const& task, Time now) const {
  Nanos const claimed = saturating_sum(task.booked, task.host) - task.claimed_at_closing;
  return std::max(now - task.closed - claimed - of_others_since_closing(task), Nanos{0});
}

Nanos UsageMeter::executing(Task const& task, Time now) {
  if (task.gate == Gate::closed || !task.raw.executing_since) return Nanos{0};
  Nanos const time = now - std::max(*task.raw.executing_since, task.opened);
  return std::max(time - (task.booked - task.booked_before), Nanos{0});
}

void UsageMeter::book(Task& task, Nanos time) {
  task.booked = saturating_sum(task.booked, time);
  of_tasks_ = saturating_sum(of_tasks_, time);
  task.time_room = std::max(task.time_room - time, Nanos{0});
  task.gate_room = std::max(task.gate_room - time, Nanos{0});
  task.usage->booked = saturating_sum(task.usage->booked, time);
}

void UsageMeter::set_provisional(Task& task, Nanos time) {
  DomainUsage& domain = *task.usage;
  domain.provisional += time - task.provisional;
  of_tasks_ += time - task.provisional;
  task.provisional = time;
  Nanos const before = domain.device_busy;
  domain.device_busy = std::max(before, saturating_sum(domain.booked, domain.provisional));
  device_busy_ = saturating_sum(device_busy_, domain.device_busy - before);
}

void UsageMeter::read(Task& task, TaskTotals const& raw, Time now) {
  Nanos const elapsed = std::max(now - task.read_at, Nanos{0});
  Nanos const open = task.gate == Gate::closed ? Nanos{0} : elapsed;
  Nanos const busy_now = std::max(raw.device_busy, Nanos{0});

  Nanos const busy = credible_busy(task, busy_now - task.raw.device_busy, open, elapsed);
  auto const calls = credible_growth(task.raw.calls, raw.calls, limits_.calls_per_second, elapsed);
  auto const sync_calls =
      credible_growth(task.raw.sync_calls, raw.sync_calls, limits_.calls_per_second, elapsed);
  auto const bytes = credible_growth(task.raw.bytes, raw.bytes, limits_.bytes_per_second, elapsed);

  Nanos const host = credible_host(task, raw.host_busy - task.raw.host_busy, elapsed);

  take_levels(task);
  Nanos const host_charged{std::llround(static_cast<double>(host.count()) * host_weight_)};
  task.host = saturating_sum(task.host, host);
  task.host_charged = saturating_sum(task.host_charged, host_charged);
  // Claimed time that does not fit in before the executing work began is part of that work.
  if (raw.executing_since && raw.executing_since != task.raw.executing_since) {
    Nanos const before = task.provisional + std::max(*raw.executing_since - task.read_at, Nanos{0});
    task.booked_before = saturating_sum(task.booked, std::min(busy, before));
  }
  book(task, busy);
  task.sync_call_rate = decayed_rate(task.sync_call_rate, sync_calls, open, limits_.rate_half_life);
  task.raw = raw;
  task.raw.device_busy = busy_now;
  task.raw.host_busy = std::max(raw.host_busy, Nanos{0});
  task.raw.memory_bytes = std::min(raw.memory_bytes, limits_.memory_bytes);
  task.raw.requests_waiting = raw.waiting ? std::min(raw.requests_waiting, limits_.requests_waiting) : 0;
  task.read_at = std::max(now, task.read_at);
  set_provisional(task, executing(task, now));
  add_levels(task);

  DomainUsage& domain = *task.usage;
  domain.host_busy = saturating_sum(domain.host_busy, host);
  domain.host_charged = saturating_sum(domain.host_charged, host_charged);
  domain.calls = saturating_sum(domain.calls, calls);
  domain.sync_calls = saturating_sum(domain.sync_calls, sync_calls);
  domain.bytes = saturating_sum(domain.bytes, bytes);
}

void UsageMeter::charge(Task& task, Nanos time) {
  book(task, time);
  set_provisional(task, task.provisional);
}

// Levels are not totals; they describe the tasks that exist now.
void UsageMeter::add_levels(Task const& task) {
  DomainUsage& domain = *task.usage;
  ++domain.tasks;
  domain.calls_waiting += task.raw.waiting ? 1 : 0;
  domain.requests_waiting += task.raw.requests_waiting;
  domain.on_device += task.raw.executing_since ? 1 : 0;
  domain.memory_bytes += task.raw.memory_bytes;
  domain.sync_call_rate += task.sync_call_rate;
}

void UsageMeter::take_levels(Task const& task) {
  DomainUsage& domain = *task.usage;
  --domain.tasks;
  domain.calls_waiting -= task.raw.waiting ? 1 : 0;
  domain.requests_waiting -= task.raw.requests_waiting;
  domain.on_device -= task.raw.executing_since ? 1 : 0;
  domain.memory_bytes -= task.raw.memory_bytes;
  domain.sync_call_rate = domain.tasks == 0 ? 0 : std::max(domain.sync_call_rate - task.sync_call_rate, 0.0);
}

Nanos UsageMeter::used(Task const& task) {
  return saturating_sum(saturating_sum(task.booked, task.provisional), task.host_charged);
}

TaskUsage UsageMeter::usage(Task const& task) {
  return {saturating_sum(task.booked, task.provisional), task.raw.waiting};
}

} // namespace pegasus::monitor
