// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/charging.h"

#include "domA/scheduler/usage_reading.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pegasus::scheduler {
namespace {

// Of a domain that has more than its credits' part because it is reserved: the policy remembers that much, so that the
// domain does not have its credits' part in addition, and no more: it would wait for hours when its SLO is lowered.
constexpr Nanos remembered_debt{std::chrono::milliseconds(100)};

// Fractions of a tick. A task's slice is short, to fit several into a domain's time slice; its minimum
// granularity is as short as switching allows.
constexpr int task_slices_per_tick = 4;
constexpr int task_granularities_per_tick = 20;
// The tolerated time beyond a time slice covers what a GPU's queue holds, or what a block takes.
constexpr int tolerated_per_tick = 4;

TaskSlices::Lengths task_lengths(Nanos tick) {
  return {.slice = tick / task_slices_per_tick, .min_granularity = tick / task_granularities_per_tick};
}

} // namespace

DomainRecord& Charging::record_of(DomainId domain) {
  if (DomainRecord* const known = state_.records.find(domain)) return *known;
  DomainRecord& record = state_.records.add(domain);
  set_lengths(record);
  return record;
}

void Charging::follow_policy() {
  state_.shared_tasks.keep_step(state_.entry->accounts);
  state_.back_off.tolerate(state_.tunables.tick / tolerated_per_tick);
  state_.meter.set_host_weight(state_.tunables.host_weight);
  state_.reservations.set_lengths(state_.tunables.tick, state_.switch_cost);
  for (auto& [id, domain] : state_.records.domains())
    set_lengths(domain);
}

void Charging::set_lengths(DomainRecord& domain) const {
  domain.tasks.set(task_lengths(state_.tunables.tick));
  domain.service.tolerate(state_.tunables.tick);
}

// What a guest may claim depends on the time since the reading before: one that found no news counts, too.
void Charging::read(TaskRecord& task) {
  auto const [totals, since_last, unchanged] = state_.pages.read(task, state_.now);
  if (unchanged) state_.meter.read(task.metered, unchanged->first, unchanged->second);
  state_.meter.read(task.metered, totals, state_.now);
  if (!state_.changes.cost_nothing())
    state_.changes.read(task, monitor::UsageMeter::usage(task.metered).device_busy, totals.executing_since,
                        state_.now);
  Nanos const used = std::max(monitor::UsageMeter::used(task.metered), task.used);
  task.domain->tasks.read(task, {.ready = totals.waiting,
                                 .used = used - task.used,
                                 .gate_open = task.holds && state_.exclusive() ? since_last : Nanos{0}});
  task.used = used;
  if (task.holds && task.executing_since != totals.executing_since)
    state_.runaways.executes(task, totals.executing_since);
  task.executing_since = totals.executing_since;
  changed(*task.domain);
}

void Charging::read_open() {
  for (TaskId const id : gate_.opened())
    read(state_.records.at(id));
}

void Charging::read_news() {
  for (TaskRecord* const task : state_.pages.news(state_.now))
    read(*task);
}

void Charging::read_on_host() {
  for (TaskRecord* const task : std::vector(state_.pages.on_host().begin(), state_.pages.on_host().end()))
    read(*task);
}

void Charging::read_latency(TaskRecord& task) const {
  task.domain->latency.merge(*task.latency, latency_of(*task.usage_page));
}

void Charging::read_all() {
  for (auto& [id, task] : state_.records.tasks()) {
    read(task);
    read_latency(task);
  }
  for (auto& [id, domain] : state_.records.domains())
    sample_service(domain);
}

// Updates all that is derived from the domain's state.
void Charging::changed(DomainRecord& domain) {
  DomainId const id = domain.id;
  monitor::DomainUsage const& usage = domain.usage;
  state_.caps.used(domain, usage.device_busy, state_.now);
  bool const hidden = Caps::spent(domain) || domain.settings.frozen;
  bool const wants = usage.calls_waiting > 0 && !hidden;
  state_.reservations.update(
      domain,
      {.has_calls = usage.calls_waiting > 0,
       .may_run = usage.tasks > 0 && !hidden && !(state_.barred(domain) && BackOff::killed(domain)),
       .used = usage.device_busy},
      state_.now);
  excuse(domain, usage.device_busy);
  if (usage.tasks == 0)
    state_.demand.forget(domain);
  else
    state_.demand.set(domain, wants && (!state_.barred(domain) || state_.reservations.gives(domain)),
                      state_.now);
  state_.shared_tasks.changed(id);
  sample_service(domain);
  state_.views.set(id, domain.settings, usage,
                   {.now = state_.now,
                    .calling_vcpu = calling_vcpu(domain),
                    .average_wait = domain.service.service().average_wait,
                    .barred = state_.barred(domain),
                    .capped = hidden,
                    .in_debt = state_.debtors.contains(id),
                    .debt = domain.debt,
                    .excused = domain.excused});
}

void Charging::excuse(DomainRecord& domain, Nanos used) {
  Nanos const more = std::max(used - std::exchange(domain.used, used), Nanos{0});
  if (more > Nanos{0} && state_.reservations.gives(domain) &&
      state_.policy->debt(domain.id) > remembered_debt)
    domain.excused += more;
}

void Charging::serve(std::span<DomainId const> domains) {
  if (std::ranges::equal(served_, domains)) return;
  std::vector<DomainId> came_or_went;
  std::ranges::set_symmetric_difference(served_, domains, std::back_inserter(came_or_went));
  served_.assign(domains.begin(), domains.end());
  for (DomainId const id : came_or_went)
    if (DomainRecord* const domain = state_.records.find(id)) sample_service(*domain);
}

void Charging::sample_service(DomainRecord& domain) const {
  monitor::DomainUsage const& usage = domain.usage;
  domain.service.sample({.has_calls = usage.calls_waiting > 0 && !domain.settings.frozen,
                         .gate_open = ordered_has(served_, domain.id),
                         .device_busy = usage.device_busy,
                         .slo = domain.settings.slo},
                        state_.now);
}

// Tasks that keep the device from others and do not say that they execute. What is asked here is not what they report.
std::vector<TaskRecord*> Charging::silent() {
  if (state_.exclusive()) return {}; // time slices end, and an open gate without use is charged
  auto const executes = [](TaskRecord const* task) {
    return task->usage_page->executing_since_ns.load() != 0;
  };
  auto const executes_any = [&](std::vector<TaskId> const& ids) {
    return std::ranges::any_of(ids, [&](TaskId id) { return executes(&state_.records.at(id)); });
  };
  auto const first = state_.engine_line == nullptr ? std::nullopt : state_.engine_line->first();
  if (TaskRecord* const task = first ? state_.records.find(*first) : nullptr)
    return executes(task) ? std::vector<TaskRecord*>{} : std::vector{task};
  if (state_.demand.only(state_.decision.run) || executes_any(gate_.opened()) ||
      executes_any(gate_.draining()))
    return {};
  std::vector<TaskRecord*> tasks;
  for (TaskId const id : gate_.opened())
    if (TaskRecord& task = state_.records.at(id);
        gate::wants_device(task.usage_page->activity.load(std::memory_order_relaxed)))
      tasks.push_back(&task);
  return tasks;
}

void Charging::charge_unclaimed() {
  for (TaskRecord* const task : std::exchange(silent_, silent()))
    if (task->holds) state_.runaways.executes(*task, task->executing_since);
  for (UnclaimedHolds::Hold const& hold : state_.unclaimed.look(silent_, state_.now)) {
    state_.runaways.executes(*hold.task, hold.since);
    state_.meter.charge(hold.task->metered, hold.time);
    changed(*hold.task->domain);
  }
}

// The policy is about to change.
void Charging::take_over_debts() {
  for (auto& [id, domain] : state_.records.domains())
    if (domain.debt = std::max(domain.debt, state_.policy->debt(id)); domain.debt > Nanos{0}) {
      state_.debtors.insert(id);
      changed(domain);
    }
}

// The debts of the previous policy have been taken over. A domain that left has been seen once more, with all
// its use; it stays in the View as long as it owes something.
void Charging::debts_seen() {
  for (DomainId const id : std::exchange(state_.debtors, {})) {
    DomainRecord& domain = state_.records.at(id);
    if (state_.entry->accounts) domain.debt = Nanos{0};
    bool const left = domain.usage.tasks == 0;
    if (domain.debt > Nanos{0} || (left && state_.policy->debt(id) > Nanos{0})) state_.debtors.insert(id);
    changed(domain);
  }
}

void Charging::reset_statistics() {
  for (auto& [id, domain] : state_.records.domains()) {
    domain.baseline.reset(domain.usage);
    domain.latency = {};
    domain.service.reset();
    domain.killed = 0;
  }
}

void Charging::pass_over(Nanos stall) {
  for (TaskId const id : gate_.draining())
    monitor::UsageMeter::pass_over(state_.records.at(id).metered, stall);
  state_.runaways.pass_over(stall);
}

void Charging::visit(policies::StateVisitor& state) {
  state.ascending("served", served_);
  std::vector<TaskId> silent;
  for (TaskRecord const* const task : silent_)
    silent.push_back(task->id);
  state.field("silent", silent);
  if (!state.restoring()) return;
  for (TaskId const id : silent) {
    TaskRecord* const task = state_.records.find(id);
    state.require(task != nullptr, "silent");
    if (task != nullptr) silent_.push_back(task);
  }
}

} // namespace pegasus::scheduler
