// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/dispatcher.h"

#include <algorithm>
#include <array>
#include <climits>
#include <utility>

namespace pegasus::scheduler {
namespace {

constexpr std::size_t trace_entries = 4096;

// As the worker says; the meter believes what can be true.
monitor::TaskTotals totals_of(gate::UsagePage const& page) {
  auto const relaxed = std::memory_order_relaxed;
  auto const activity = page.activity.load(std::memory_order_acquire);
  monitor::TaskTotals totals;
  totals.device_busy =
      Nanos(static_cast<std::int64_t>(std::min<std::uint64_t>(page.device_busy_ns.load(relaxed), INT64_MAX)));
  totals.calls = page.calls.load(relaxed);
  totals.sync_calls = page.sync_calls.load(relaxed);
  totals.bytes = page.bytes.load(relaxed);
  totals.memory_bytes = page.memory_bytes.load(relaxed);
  totals.waiting = activity != gate::Activity::idle;
  totals.on_device = activity == gate::Activity::running;
  return totals;
}

} // namespace

Dispatcher::Dispatcher(Setup const& setup)
    : entry_(setup.policy), tunables_(setup.tunables), runaway_(setup.runaway),
      policy_(setup.policy->make(setup.tunables)), views_(setup.cpu_schedule),
      gate_([this](std::atomic<std::uint32_t>& word) { opened_.push_back(&word); }),
      meter_(monitor::UsageMeter::Limits{.overrun = setup.runaway}), service_(setup.tunables.tick),
      trace_(trace_entries) {}

void Dispatcher::set_domain(DomainId domain, DomainSettings const& settings) { domains_[domain] = settings; }

void Dispatcher::forget_domain(DomainId domain) {
  domains_.erase(domain);
  baseline_.erase(domain);
  meter_.forget(domain);
  service_.forget(domain);
}

void Dispatcher::attach(TaskId task, DomainId domain, gate::GatePage& gate, gate::UsagePage const& usage,
                        Time now) {
  tasks_[task] = {domain, &usage, now, false};
  meter_.attach(task, domain, now);
  gate_.attach(task, domain, gate, usage);
}

void Dispatcher::detach(TaskId task, Time now) {
  read_usage(now); // its last totals
  if (auto const found = tasks_.find(task); found != tasks_.end()) read_latency(task, *found->second.usage);
  gate_.detach(task);
  meter_.detach(task);
  tasks_.erase(task);
}

void Dispatcher::use(policies::Entry const& policy) {
  entry_ = &policy;
  policy_ = policy.make(tunables_);
}

Actions Dispatcher::point(Time now, TaskId on_device) {
  Actions actions;
  read_usage(now);
  actions.work = std::ranges::any_of(meter_.domains(),
                                     [](auto const& domain) { return domain.second.calls_waiting > 0; });
  if (gate_.settled()) {
    decide(now, actions);
  } else if (gate_.settle()) {
    gates_opened(now, actions);
    decide(now, actions);
  } else {
    actions.give_up = runaways(now, on_device);
  }
  actions.wake = std::exchange(opened_, {});
  actions.next = next_point(now);
  return actions;
}

void Dispatcher::decide(Time now, Actions& actions) {
  policies::Decision next = policy_->decide(views_.build(domains_, meter_, entry_->reads_schedule, now));
  bool const same_run = next.run == decision_.run;
  bool const new_turn = !same_run || next.reason != policies::Reason::unchanged;
  if (new_turn) turn_ended(next, now);
  decision_ = std::move(next);
  decided_by_ = entry_->name;
  decided_ = now;
  change_since_ = now;
  if (!same_run) {
    if (gate_.apply(decision_.run, decision_.wake))
      gates_opened(now, actions);
    else
      read_service(now); // they were closed
  } else if (new_turn) {
    turn_begins(now);
  }
}

void Dispatcher::gates_opened(Time now, Actions& actions) {
  turn_begins(now);
  read_service(now);
  for (auto const& [id, task] : tasks_)
    if (std::ranges::binary_search(decision_.wake, task.domain) &&
        task.usage->activity.load(std::memory_order_relaxed) != gate::Activity::idle)
      actions.rouse.push_back({task.domain, task.usage->last_vcpu.load(std::memory_order_relaxed)});
}

void Dispatcher::turn_begins(Time now) {
  turn_start_ = now;
  turn_busy_ = device_busy();
}

void Dispatcher::turn_ended(policies::Decision const& next, Time now) {
  if (turn_start_ == now || decided_by_.empty()) return;
  trace_.record({.at = turn_start_,
                 .policy = decided_by_,
                 .domains = decision_.run,
                 .ran = now - turn_start_,
                 .device_busy = device_busy() - turn_busy_,
                 .ended = next.reason});
}

Nanos Dispatcher::device_busy() const {
  Nanos total{0};
  for (auto const& [id, usage] : meter_.domains())
    total += usage.device_busy;
  return total;
}

// The turn's time counts from when its gates were opened, not from when it was decided: the time that its
// predecessor's last kernel took is not the turn's.
Time Dispatcher::next_point(Time now) const {
  Time const wanted = gate_.settled() ? std::min(decision_.until, decision_.ask_again) +
                                            std::max(Nanos{0}, turn_start_ - decided_)
                                      : now + drain_check;
  return std::max(wanted, now + shortest_wait);
}

// A call that does not end when its turn is over keeps everybody waiting. Of several such calls one is on the
// device; the others wait for it and are not to blame.
std::vector<TaskId> Dispatcher::runaways(Time now, TaskId on_device) {
  if (now - change_since_ < runaway_) return {};
  change_since_ = now;
  std::vector<TaskId> late = gate_.draining();
  if (std::ranges::find(late, on_device) != late.end()) late = {on_device};
  return late;
}

bool Dispatcher::running(DomainId domain) const {
  return gate_.settled() && std::ranges::binary_search(decision_.run, domain);
}

void Dispatcher::read_usage(Time now) {
  for (auto& [id, task] : tasks_) {
    monitor::TaskTotals const totals = totals_of(*task.usage);
    // The gate stays open in effect until a call that was running when it closed has ended.
    bool const could_run = gate_.open(id) || task.could_run;
    meter_.read(id, totals, could_run ? now - task.read_at : Nanos{0}, now);
    task.could_run = gate_.open(id) || totals.on_device;
    task.read_at = now;
  }
  read_service(now);
}

void Dispatcher::read_service(Time now) {
  for (auto const& [id, usage] : meter_.domains())
    if (auto const found = domains_.find(id); usage.tasks > 0 && found != domains_.end())
      service_.look(id,
                    {.has_calls = usage.calls_waiting > 0,
                     .gate_open = running(id),
                     .device_busy = usage.device_busy,
                     .slo = found->second.slo},
                    now);
}

void Dispatcher::read_latency(TaskId task, gate::UsagePage const& page) {
  std::array<std::uint32_t, gate::latency_buckets> counters;
  for (std::size_t b = 0; b < counters.size(); ++b)
    counters[b] = page.latency_bucket[b].load(std::memory_order_relaxed);
  meter_.read_latency(task, counters);
}

std::optional<DomainId> Dispatcher::domain_of(TaskId task) const {
  auto const found = tasks_.find(task);
  return found == tasks_.end() ? std::nullopt : std::optional(found->second.domain);
}

void Dispatcher::bring_up_to_date(Time now) {
  read_usage(now);
  for (auto const& [id, task] : tasks_)
    read_latency(id, *task.usage);
}

void Dispatcher::reset_statistics(Time now) {
  bring_up_to_date(now);
  baseline_ = meter_.domains();
  baseline_at_ = now;
  meter_.reset_latency();
  service_.reset();
}

monitor::DomainUsage Dispatcher::usage_since_reset(DomainId domain) const {
  monitor::DomainUsage usage = meter_.domain(domain);
  if (auto const found = baseline_.find(domain); found != baseline_.end()) {
    usage.device_busy -= found->second.device_busy;
    usage.calls -= found->second.calls;
    usage.sync_calls -= found->second.sync_calls;
    usage.bytes -= found->second.bytes;
  }
  return usage;
}

} // namespace pegasus::scheduler
