// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/dispatcher.h"

#include <algorithm>
#include <span>
#include <utility>

namespace pegasus::scheduler {

Dispatcher::Dispatcher(Setup const& setup)
    : state_{.entry = setup.policy,
             .tunables = setup.tunables,
             .policy = setup.policy->make(setup.tunables),
             .switch_cost = setup.switch_cost,
             .clock_at_zero = setup.clock_at_zero,
             .engine_line = setup.engine_line,
             .cpu_times = setup.cpu_times,
             .views = ViewBuilder(setup.cpu_schedule),
             .pages = PageWatch(setup.clock_at_zero, setup.cpu_times),
             .runaways = Runaways(setup.runaway),
             .changes = ContextChanges(setup.switch_cost),
             .unclaimed = UnclaimedHolds(setup.switch_cost),
             .orders = TaskOrders({.answer = setup.runaway, .host_call = setup.host_call}, setup.cpu_times),
             .meter = monitor::UsageMeter({.overrun = setup.runaway})},
      reservations_allowed_(setup.reservations), gate_(*this), charging_(state_, gate_),
      overruns_(state_, charging_), task_choice_(state_, gate_) {
  follow_policy();
}

// Applies what of the policy and its tunables concerns more than its decisions.
void Dispatcher::follow_policy() {
  gate_.set({.guests_poll = state_.entry->guests_poll, .engaged = state_.entry->engaged});
  charging_.follow_policy();
}

void Dispatcher::set_domain(DomainId id, DomainSettings const& settings) {
  DomainRecord& domain = charging_.record_of(id);
  state_.set(domain, settings);
  state_.caps.set(domain, settings.cap, state_.now);
  state_.reservations.set(domain, settings.slo, state_.now);
  charging_.changed(domain);
}

void Dispatcher::forget_domain(DomainId id) {
  DomainRecord* const domain = state_.records.find(id);
  if (domain != nullptr && domain->tasks.tasks().empty()) state_.erase(*domain);
}

void Dispatcher::attach(TaskId id, DomainId domain, gate::GatePage& gate, gate::UsagePage const& usage,
                        Time now) {
  detach(id, now); // if its caller has missed that
  TaskRecord& task = state_.records.add(id, charging_.record_of(domain));
  task.usage_page = &usage;
  PageWatch::attach(task, now);
  task.domain->tasks.attach(task);
  task.metered = monitor::UsageMeter::attach(task.domain->usage, now);
  gate_.attach(id, gate, usage);
  kicked_.push_back(id);
}

void Dispatcher::detach(TaskId id, Time now) {
  TaskRecord* const task = state_.records.find(id);
  if (task == nullptr) return;
  kicked_.push_back(id); // reads its last totals
  read(now);
  if (!state_.exclusive()) charging_.read_news(); // it may have waited for these
  charging_.read_latency(*task);
  overruns_.stopped(*task);
  state_.meter.detach(task->metered, now);
  gate_.detach(id);
  if (state_.engine_line != nullptr) state_.engine_line->dismiss(id);
  charging_.detached(*task);
  DomainRecord& domain = *task->domain;
  state_.erase(*task);
  state_.debtors.insert(domain.id); // as far as is known
  charging_.changed(domain);
  if (domain.usage.tasks == 0) state_.back_off.left(now);
}

// The old policy sees the use up to this moment, the new one sees later use. Debts outlive a
// policy that keeps no accounts.
void Dispatcher::use(policies::Choice const& choice, Time now) {
  read(now);
  charging_.read_open(); // also what passes by itself
  if (state_.entry->accounts) {
    (void)state_.policy->decide(view());
    charging_.debts_seen();
    charging_.take_over_debts();
  }
  switched_ = true;
  state_.entry = choice.policy;
  state_.tunables = choice.tunables;
  state_.policy = state_.entry->make(state_.tunables);
  follow_policy();
  state_.views.begin_anew();
}

Actions Dispatcher::point(Time now) {
  read(now);
  // Before any gate is opened.
  if (auto const until = lease_.renew(now)) gate_.lease_until(state_.monotonic_ns(*until));
  take_answers();
  if (gate_.drain() || switched_) decide();
  actions_.give_up = overruns_.give_up();
  post_orders();
  actions_.work = state_.demand.any();
  actions_.next = next_point();
  return std::exchange(actions_, {});
}

bool Dispatcher::order(TaskId id, gate::Order const& order) {
  TaskRecord* const task = state_.records.find(id);
  if (task == nullptr || !state_.orders.give(*task, order)) return false;
  task->domain->tasks.hold(*task, true);
  state_.shared_tasks.changed(task->domain->id);
  return true;
}

void Dispatcher::take_answers() {
  for (auto const& [task, order, answer] : state_.orders.take_answers(gate_)) {
    actions_.answered.push_back({task->id, order, answer});
    task->domain->tasks.hold(*task, task->evicted);
    state_.shared_tasks.changed(task->domain->id);
  }
}

void Dispatcher::post_orders() {
  for (TaskOrders::Step const& step : state_.orders.post(gate_, state_.now)) {
    if (step.posted != nullptr) actions_.wake.push_back(step.posted);
    if (step.asleep) actions_.interrupt.push_back(step.task->id);
    if (step.late && Runaways::give_up(*step.task)) actions_.give_up.push_back(step.task->id);
  }
}

// If the gates are drained, the domains that leave no longer have the device and those that run have it.
void Dispatcher::decide() {
  if (gate_.drained() && std::exchange(changing_, false)) slice_begins();
  switched_ = false;
  policies::Decision next = state_.policy->decide(view());
  if (overruns_.bar_debtors()) next = state_.policy->decide(view()); // which sees no calls of theirs now
  charging_.debts_seen();
  state_.keep_out(next.run);
  bool const was_reserved = reserved_;
  reserve(next);
  bool const same_run = next.run == state_.decision.run;
  bool const new_slice = !same_run || was_reserved != reserved_ ||
                         (next.reason != policies::Reason::unchanged && !next.run.empty());
  if (new_slice)
    log_.ended(decided_by_, state_.decision.run, next.reason, state_.now, state_.meter.device_busy());
  if (!same_run) state_.promised = state_.decision.until;
  std::swap(state_.decision, next);
  decided_by_ = state_.entry->name;
  task_choice_.make();
  changing_ = (changing_ || !same_run) && !gate_.drained();
  if (new_slice && !changing_) slice_begins();
  charging_.serve(gate_.drained() ? std::span<DomainId const>(state_.decision.run)
                                  : std::span<DomainId const>());
}

// A domain that is due has the device to itself, whatever the policy says. For the policy its own decision has not been
// carried out yet, as while the device drains: it sees all calls, and who used the device, and nobody loses a place.
void Dispatcher::reserve(policies::Decision& next) {
  DomainRecord* const before = state_.reservations.chosen();
  reserved_ = state_.reservations.replace(
      next, {.allowed = keeps_reservations(), .drained = gate_.drained(), .again = reserved_}, state_.now);
  DomainRecord* const due = state_.reservations.chosen();
  if (before == due) return;
  if (before != nullptr) charging_.changed(*before);
  if (due != nullptr) charging_.changed(*due);
}

policies::View Dispatcher::view() {
  policies::View view = state_.views.view(state_.entry->reads_schedule && state_.policy->reads_schedule(),
                                          reserved_ ? state_.now : run_since_, state_.now);
  view.switch_cost = state_.switch_cost;
  return view;
}

void Dispatcher::entering(TaskId id) {
  if (state_.engine_line != nullptr) state_.engine_line->admit(id);
}

void Dispatcher::opened(TaskId id, std::atomic<std::uint32_t>& word) {
  TaskRecord& task = state_.records.at(id);
  task.holds = true;
  state_.pages.opened(task);
  if (task.executing_since) state_.runaways.executes(task, task.executing_since);
  monitor::UsageMeter::gate_opened(task.metered, state_.now);
  state_.changes.opened(task);
  actions_.wake.push_back(&word);
  if (ordered_has(state_.decision.wake, task.domain->id) &&
      gate::wants_device(task.usage_page->activity.load(std::memory_order_relaxed)))
    actions_.boost.push_back({task.domain->id, task.usage_page->last_vcpu.load(std::memory_order_relaxed)});
}

void Dispatcher::closed(TaskId id) {
  TaskRecord& task = state_.records.at(id);
  PageWatch::closed(task);
  state_.meter.gate_closed(task.metered, state_.now);
  state_.changes.closed(task, state_.now);
  overruns_.closed(task);
}

void Dispatcher::drained(TaskId id) {
  if (!state_.exclusive()) charging_.read_news(); // it may have waited for these
  TaskRecord& task = state_.records.at(id);
  charging_.read(task); // what the task published before it stopped
  state_.meter.drained(task.metered, state_.now);
  charging_.read(task); // and what drained() charged
  overruns_.stopped(task);
  task.holds = false;
  if (state_.engine_line != nullptr) state_.engine_line->dismiss(id);
  state_.runaways.stopped(task);
  charging_.changed(*task.domain);
}

void Dispatcher::slice_begins() {
  run_since_ = state_.now;
  if (reserved_) state_.reservations.begins(state_.now);
  log_.began(state_.now, state_.meter.device_busy());
}

Time Dispatcher::next_point() const {
  Time wanted = state_.now + drain_check;
  if (gate_.drained()) {
    wanted = std::min({state_.decision.until, state_.decision.ask_again, state_.back_off.next_end(),
                       state_.caps.next_end()});
    if (keeps_reservations()) wanted = std::min(wanted, state_.reservations.next_due(state_.now));
    if (state_.caps.any())
      for (DomainId const id : state_.decision.run)
        if (auto const left = state_.cap_left(id)) wanted = std::min(wanted, state_.now + *left);
    if (state_.exclusive())
      for (DomainId const id : state_.decision.run)
        if (DomainRecord const* const domain = state_.records.find(id))
          if (auto const in = domain->tasks.pick_in()) wanted = std::min(wanted, state_.now + *in);
  }
  if (!state_.exclusive() && shared_used_) wanted = std::min(wanted, state_.now + state_.tunables.tick);
  if (!gate_.opened().empty()) wanted = std::min(wanted, lease_.renewal());
  if (!state_.orders.empty()) wanted = std::min<Time>(wanted, state_.now + TaskOrders::look_interval);
  if (!state_.pages.on_host().empty()) wanted = std::min(wanted, host_read_at_ + host_review);
  return std::max(wanted, state_.now + shortest_wait);
}

// Reads the tasks that kicked and those that have the device. Under a shared policy all tasks have it: only
// those with news are read, and not at every kick.
void Dispatcher::read(Time now) {
  bool const held = !gate_.opened().empty() || !gate_.draining().empty();
  if (held && now > lease_.until()) { // the caller has been held up: stopped, or swapped out
    run_since_ = std::max(run_since_, state_.now) + (now - lease_.until());
    charging_.pass_over(now - lease_.until());
  }
  state_.now = now;
  for (TaskId const id : std::exchange(kicked_, {}))
    if (TaskRecord* const task = state_.records.find(id)) {
      charging_.read(*task);
      gate_.rang(id);
      if (auto* const word = gate_.reopen(id)) actions_.wake.push_back(word);
    }
  if (state_.exclusive() || state_.now >= shared_read_at_ + shared_review) {
    shared_read_at_ = state_.now;
    state_.exclusive() ? charging_.read_open() : charging_.read_news();
    charging_.charge_unclaimed();
    Nanos const busy = state_.meter.device_busy();
    shared_used_ = std::exchange(shared_busy_, busy) != busy || state_.demand.any();
  }
  if (state_.now >= host_read_at_ + host_review) {
    host_read_at_ = state_.now;
    charging_.read_on_host();
  }
  for (TaskId const id : gate_.draining())
    charging_.read(state_.records.at(id));
  for (TaskId const id : gate_.draining())
    overruns_.drains(state_.records.at(id), gate_.opened().size() + gate_.draining().size());
  overruns_.end_bars();
  while (DomainRecord* const domain = state_.caps.take_ended(state_.now))
    charging_.changed(*domain);
}

void Dispatcher::bring_up_to_date(Time now) {
  read(now);
  charging_.read_all();
}

monitor::TaskUsage Dispatcher::task_usage(TaskId task, Time now) {
  state_.now = now;
  TaskRecord& record = state_.records.at(task);
  charging_.read(record);
  return monitor::UsageMeter::usage(record.metered);
}

void Dispatcher::reset_statistics(Time now) {
  bring_up_to_date(now);
  reset_at_ = now;
  charging_.reset_statistics();
}

} // namespace pegasus::scheduler
