// SPDX-License-Identifier: Apache-2.0
// The scheduler's view of what happened: usage read from the workers' pages, turns, their log, and their end.
#include "domA/daemon/scheduler.h"

#include <algorithm>
#include <array>

namespace pegasus::daemon {

void Scheduler::gates_opened(Time now) {
  turn_begins(now);
  read_service(now);
  for (auto const& [id, task] : tasks_)
    if (std::ranges::binary_search(decision_.wake, task.domain) &&
        task.usage->activity.load(std::memory_order_relaxed) != gate::Activity::idle)
      setup_.woken(task.domain, task.usage->last_vcpu.load(std::memory_order_relaxed));
}

void Scheduler::turn_begins(Time now) {
  turn_start_ = now;
  turn_busy_ = device_busy();
}

void Scheduler::turn_ended(policies::Decision const& next, Time now) {
  if (turn_start_ == now || decided_by_.empty()) return;
  trace_.record({.at = turn_start_,
                 .policy = decided_by_,
                 .domains = decision_.run,
                 .ran = now - turn_start_,
                 .device_busy = device_busy() - turn_busy_,
                 .ended = next.reason});
}

Nanos Scheduler::device_busy() const {
  Nanos total{0};
  for (auto const& [id, usage] : meter_.domains())
    total += usage.device_busy;
  return total;
}

// The turn's time counts from when its gates were opened, not from when it was decided: the time that its
// predecessor's last kernel took is not the turn's.
void Scheduler::arm_timer(Time now) {
  Time wake_at;
  if (gate_.settled()) {
    Nanos const shift = std::max(Nanos{0}, turn_start_ - decided_);
    wake_at = std::min(decision_.until, decision_.ask_again) + shift;
  } else {
    wake_at = now + drain_check;
  }
  timer_.expires_at(setup_.started + std::max(wake_at, now + shortest_wait));
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) schedule_point();
  });
}

// A call that does not end when its turn is over keeps everybody waiting. Of several such calls one is on the
// device; the others wait for it and are not to blame.
void Scheduler::give_up_runaways(Time now) {
  if (now - change_since_ < setup_.runaway) return;
  change_since_ = now;
  std::vector<TaskId> late = gate_.draining();
  if (auto const guilty = std::ranges::find(late, setup_.on_device()); guilty != late.end()) late = {*guilty};
  for (TaskId const task : late)
    setup_.give_up(task);
}

std::vector<policies::DomainView> Scheduler::views(Time now, Nanos& schedule_age) const {
  std::vector<policies::DomainView> result;
  for (auto const& [id, settings] : domains_) {
    policies::DomainView view;
    view.id = id;
    view.credits = settings.credits;
    view.cpu_weight = settings.cpu_weight;
    view.slo = settings.slo;
    meter_.fill(view);
    if (view.tasks == 0) continue;
    if (setup_.policy->reads_schedule) schedule_age = std::max(schedule_age, setup_.cpu_schedule(view, now));
    result.push_back(view);
  }
  return result;
}

void Scheduler::read_usage(Time now) {
  for (auto& [id, task] : tasks_) {
    gate::UsagePage const& page = *task.usage;
    auto const activity = page.activity.load(std::memory_order_acquire);
    auto const relaxed = std::memory_order_relaxed;
    monitor::TaskTotals totals;
    totals.device_busy = Nanos(
        static_cast<std::int64_t>(std::min<std::uint64_t>(page.device_busy_ns.load(relaxed), INT64_MAX)));
    totals.calls = page.calls.load(relaxed);
    totals.sync_calls = page.sync_calls.load(relaxed);
    totals.bytes = page.bytes.load(relaxed);
    totals.memory_bytes = page.memory_bytes.load(relaxed);
    totals.waiting = activity != gate::Activity::idle;
    totals.on_device = activity == gate::Activity::running;
    // The gate stays open in effect until a call that was running when it closed has ended.
    bool const could_run = gate_.open(id) || task.could_run;
    meter_.read(id, totals, could_run ? now - task.read_at : Nanos{0}, now);
    task.could_run = gate_.open(id) || activity == gate::Activity::running;
    task.read_at = now;
  }
  read_service(now);
}

void Scheduler::read_service(Time now) {
  for (auto const& [id, usage] : meter_.domains())
    if (auto const found = domains_.find(id); usage.tasks > 0 && found != domains_.end())
      service_.look(id,
                    {.has_calls = usage.calls_waiting > 0,
                     .gate_open = running(id),
                     .device_busy = usage.device_busy,
                     .slo = found->second.slo},
                    now);
}

std::optional<DomainId> Scheduler::domain_of(TaskId task) const {
  auto const found = tasks_.find(task);
  return found == tasks_.end() ? std::nullopt : std::optional(found->second.domain);
}

void Scheduler::bring_up_to_date() {
  read_usage(now());
  for (auto const& [id, task] : tasks_)
    read_latency(id, *task.usage);
}

void Scheduler::read_latency(TaskId task, gate::UsagePage const& page) {
  std::array<std::uint32_t, gate::latency_buckets> counters;
  for (std::size_t b = 0; b < counters.size(); ++b)
    counters[b] = page.latency_bucket[b].load(std::memory_order_relaxed);
  meter_.read_latency(task, counters);
}

void Scheduler::reset_statistics() {
  bring_up_to_date();
  baseline_ = meter_.domains();
  baseline_at_ = now();
  meter_.reset_latency();
  service_.reset();
}

monitor::DomainUsage Scheduler::usage_since_reset(DomainId domain) const {
  monitor::DomainUsage usage = meter_.domain(domain);
  if (auto const found = baseline_.find(domain); found != baseline_.end()) {
    usage.device_busy -= found->second.device_busy;
    usage.calls -= found->second.calls;
    usage.sync_calls -= found->second.sync_calls;
    usage.bytes -= found->second.bytes;
  }
  return usage;
}

} // namespace pegasus::daemon
