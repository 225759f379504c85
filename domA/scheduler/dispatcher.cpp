// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/dispatcher.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace pegasus::scheduler {
namespace {

// Of a tick: the tolerated time beyond a time slice covers what a GPU's queue holds, or what a block takes.
constexpr int tolerated_per_tick = 4;

} // namespace

Dispatcher::Dispatcher(Setup const& setup)
    : state_{.entry = setup.policy,
             .tunables = setup.tunables,
             .policy = setup.policy->make(setup.tunables),
             .switch_cost = setup.switch_cost,
             .engine_line = setup.engine_line,
             .cpu_times = setup.cpu_times,
             .views = ViewBuilder(setup.cpu_schedule),
             .pages = PageWatch(setup.clock_at_zero, setup.cpu_times),
             .runaways = Runaways(setup.runaway),
             .changes = ContextChanges(setup.switch_cost),
             .unclaimed = UnclaimedHolds(setup.switch_cost),
             .orders = TaskOrders({.answer = setup.runaway, .host_call = setup.host_call}, setup.cpu_times),
             .meter = monitor::UsageMeter({.overrun = setup.runaway})},
      reservations_allowed_(setup.reservations), clock_at_zero_(setup.clock_at_zero), gate_(*this),
      charging_(state_, gate_), overruns_(state_, charging_) {
  follow_policy();
}

// Applies what of the policy and its tunables concerns more than its decisions.
void Dispatcher::follow_policy() {
  gate_.set({.guests_poll = state_.entry->guests_poll, .engaged = state_.entry->engaged});
  state_.shared_tasks.keep_step(state_.entry->accounts);
  state_.back_off.tolerate(state_.tunables.tick / tolerated_per_tick);
  state_.meter.set_host_weight(state_.tunables.host_weight);
  state_.reservations.set_lengths(state_.tunables.tick, state_.switch_cost);
  charging_.follow_policy();
}

void Dispatcher::set_domain(DomainId id, DomainSettings const& settings) {
  DomainRecord& domain = charging_.record_of(id);
  domain.settings = settings;
  state_.caps.set(domain, settings.cap, state_.now);
  state_.reservations.set(domain, settings.slo, state_.now);
  charging_.changed(domain);
}

void Dispatcher::forget_domain(DomainId id) {
  DomainRecord* const domain = state_.records.find(id);
  if (domain == nullptr) return;
  state_.debtors.erase(id);
  state_.views.forget(id);
  state_.demand.forget(*domain);
  state_.back_off.forget(*domain);
  state_.caps.forget(*domain);
  state_.reservations.forget(*domain, state_.now);
  state_.records.erase(*domain);
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
  state_.pages.detach(*task);
  if (state_.engine_line != nullptr) state_.engine_line->dismiss(id);
  charging_.detached(*task);
  state_.orders.forget(*task);
  state_.runaways.forget(*task);
  state_.shared_tasks.forget(id);
  DomainRecord& domain = *task->domain;
  domain.tasks.detach(*task);
  state_.records.erase(*task);
  state_.debtors.insert(domain.id); // as far as is known
  charging_.changed(domain);
  if (domain.usage.tasks == 0) state_.back_off.left(now);
}

void Dispatcher::kicked(TaskId task) { kicked_.push_back(task); }

// The old policy sees the use up to this moment, the new one sees later use. Debts outlive a
// policy that keeps no accounts.
void Dispatcher::use(policies::Choice const& choice, Time now) {
  read(now);
  charging_.read_open(); // also what passes by itself
  if (state_.entry->accounts) {
    (void)state_.policy->decide(view());
    debts_seen();
    for (auto& [id, domain] : state_.records.domains())
      if (domain.debt = std::max(domain.debt, state_.policy->debt(id)); domain.debt > Nanos{0}) {
        state_.debtors.insert(id);
        charging_.changed(domain);
      }
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
  renew_lease();
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
  for (auto const& [task, answer] : state_.orders.take_answers(gate_)) {
    actions_.answered.emplace_back(task->id, answer);
    task->domain->tasks.hold(*task, false);
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

// Called before any gate is opened.
void Dispatcher::renew_lease() {
  if (auto const until = lease_.renew(state_.now)) gate_.lease_until(monotonic_ns(*until));
}

// If the gates are drained, the domains that leave no longer have the device and those that run have it.
void Dispatcher::decide() {
  if (gate_.drained() && std::exchange(changing_, false)) slice_begins();
  switched_ = false;
  policies::Decision next = state_.policy->decide(view());
  if (overruns_.bar_debtors()) next = state_.policy->decide(view()); // which sees no calls of theirs now
  debts_seen();
  // A domain may have the device without calls, too.
  std::erase_if(next.run, [this](DomainId domain) { return shut_out(charging_.record_of(domain)); });
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
  choose_tasks();
  changing_ = (changing_ || !same_run) && !gate_.drained();
  if (new_slice && !changing_) slice_begins();
  charging_.serve(gate_.drained() ? std::span<DomainId const>(state_.decision.run)
                                  : std::span<DomainId const>());
}

// A domain that is due has the device to itself, whatever the policy says. For the policy its own decision has not been
// carried out yet, as while the device drains: it sees all calls, and who used the device, and nobody loses a place.
void Dispatcher::reserve(policies::Decision& next) {
  DomainRecord* const before = state_.reservations.chosen();
  DomainRecord* const due =
      keeps_reservations() ? state_.reservations.choose(gate_.drained(), state_.now) : nullptr;
  if (due == nullptr) state_.reservations.release(state_.now);
  bool const by_policy = due != nullptr && next.run.size() == 1 && next.run.front() == due->id;
  bool const begins = due != nullptr && !by_policy && (!reserved_ || before != due);
  reserved_ = due != nullptr && !by_policy;
  state_.reservations.give(reserved_);
  if (reserved_)
    next = {.run = {due->id},
            .until = state_.reservations.empty_at(state_.now),
            .ask_again = state_.reservations.ask_again(state_.now),
            .wake = {},
            .reason = begins ? policies::Reason::reservation : policies::Reason::unchanged,
            .exclusive = true,
            .pieces = next.pieces};
  if (before == due) return;
  if (before != nullptr) charging_.changed(*before);
  if (due != nullptr) charging_.changed(*due);
}

// It may not have the device, whatever the policy says. A policy that has several domains run at a time does not
// look at their calls, and one without accounts knows no overruns.
bool Dispatcher::shut_out(DomainRecord const& domain) const {
  return Caps::spent(domain) || (state_.entry->accounts && state_.barred(domain));
}

policies::View Dispatcher::view() {
  policies::View view = state_.views.view(state_.entry->reads_schedule && state_.policy->reads_schedule(),
                                          reserved_ ? state_.now : run_since_, state_.now);
  view.switch_cost = state_.switch_cost;
  return view;
}

// The debts of the previous policy have been taken over. A domain that left has been seen once more, with all
// its use; it stays in the View as long as it owes something.
void Dispatcher::debts_seen() {
  for (DomainId const id : std::exchange(state_.debtors, {})) {
    DomainRecord& domain = state_.records.at(id);
    if (state_.entry->accounts) domain.debt = Nanos{0};
    bool const left = domain.usage.tasks == 0;
    if (domain.debt > Nanos{0} || (left && state_.policy->debt(id) > Nanos{0})) state_.debtors.insert(id);
    charging_.changed(domain);
  }
}

// How long a domain may still use the device under its cap.
std::optional<Nanos> Dispatcher::cap_left(DomainId id) const {
  DomainRecord const* const domain = state_.records.find(id);
  return domain == nullptr ? std::nullopt : Caps::left(*domain, state_.now);
}

std::uint64_t Dispatcher::monotonic_ns(Time time) const {
  return static_cast<std::uint64_t>((time.time_since_epoch() + clock_at_zero_).count());
}

// The time slice may also be interrupted when the policy is asked again.
std::uint64_t Dispatcher::slice_ends() const {
  if (!state_.exclusive() || state_.decision.run.empty()) return 0;
  DomainId const id = state_.decision.run.front();
  auto end = Time::max();
  if (state_.demand.of_others(state_.records.at(id)))
    end = std::min(state_.decision.until, state_.decision.ask_again);
  if (auto const left = cap_left(id)) end = std::min(end, state_.now + *left);
  return end == Time::max() ? 0 : monotonic_ns(end);
}

gate::Gate::Pieces Dispatcher::pieces() const {
  if (!state_.decision.pieces) return {};
  return {.from_ns = monotonic_ns(std::max(state_.decision.pieces->from, Time{})),
          .longest_ns = static_cast<std::uint64_t>(state_.decision.pieces->longest.count())};
}

// If a domain has the device to itself, one of its tasks runs at a time. If domains share the
// device, all tasks run, but for those that are ahead of others of their domain if accounts are kept.
void Dispatcher::choose_tasks() {
  gate_.ends_at(slice_ends());
  if (state_.exclusive()) {
    state_.shared_tasks.begin_anew();
    run(tasks_in_turn());
  } else {
    run(state_.shared_tasks.choose(state_.decision.run, [this](DomainId domain) {
      DomainRecord* const known = state_.records.find(domain);
      return known == nullptr ? nullptr : &known->tasks;
    }));
  }
  gate_.limit(pieces());
}

std::vector<TaskId> Dispatcher::tasks_in_turn() {
  std::vector<TaskId> tasks;
  for (DomainId const domain : state_.decision.run)
    if (TaskRecord const* const task = charging_.record_of(domain).tasks.pick()) tasks.push_back(task->id);
  std::ranges::sort(tasks);
  return tasks;
}

void Dispatcher::run(std::vector<TaskId> const& tasks) {
  if (tasks == gate_.chosen()) return;
  std::vector<TaskId> wake;
  if (!state_.decision.wake.empty())
    for (TaskId const task : tasks)
      if (ordered_has(state_.decision.wake, state_.records.at(task).domain->id)) wake.push_back(task);
  gate_.apply(tasks, wake, state_.exclusive() ? std::vector<TaskId>{} : state_.orders.tasks());
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
    for (DomainId const domain : state_.decision.run)
      if (auto const left = cap_left(domain)) wanted = std::min(wanted, state_.now + *left);
    if (state_.exclusive())
      for (DomainId const domain : state_.decision.run)
        if (auto const in = state_.records.at(domain).tasks.pick_in())
          wanted = std::min(wanted, state_.now + *in);
  }
  if (!state_.exclusive() && shared_used_) wanted = std::min(wanted, state_.now + state_.tunables.tick);
  if (!gate_.opened().empty()) wanted = std::min(wanted, lease_.renewal());
  if (!state_.orders.empty()) wanted = std::min<Time>(wanted, state_.now + TaskOrders::look_interval);
  if (!state_.pages.on_host().empty()) wanted = std::min(wanted, host_read_at_ + host_review);
  return std::max(wanted, state_.now + shortest_wait);
}

bool Dispatcher::running(DomainId domain) const {
  return gate_.drained() && ordered_has(state_.decision.run, domain);
}

// Reads the tasks that kicked and those that have the device. Under a shared policy all tasks have it: only
// those with news are read, and not at every kick.
void Dispatcher::read(Time now) {
  bool const held = !gate_.opened().empty() || !gate_.draining().empty();
  if (held && now > lease_.until()) pass_over(now - lease_.until());
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
    overruns_.drains(state_.records.at(id));
  overruns_.end_bars();
  while (DomainRecord* const domain = state_.caps.take_ended(state_.now))
    charging_.changed(*domain);
}

// The caller has been held up (stopped, swapped out) for longer than a lease: gates closed by themselves at its
// end, and what passed since then is nobody's.
void Dispatcher::pass_over(Nanos stall) {
  run_since_ = std::max(run_since_, state_.now) + stall;
  charging_.pass_over(stall);
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
  for (auto& [id, domain] : state_.records.domains()) {
    domain.baseline.reset(domain.usage);
    domain.latency = {};
    domain.service.reset();
    domain.killed = 0;
  }
}

} // namespace pegasus::scheduler
