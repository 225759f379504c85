// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/dispatcher.h"

#include "domA/scheduler/usage_reading.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace pegasus::scheduler {
namespace {

// Of a domain that has more than its credits' part because it is reserved: the policy remembers that much, so that the
// domain does not have its credits' part in addition, and no more: it would wait for hours when its SLO is lowered.
constexpr Nanos remembered_debt{std::chrono::milliseconds(100)};

// Fractions of a tick. A task's slice is short, to fit several into a domain's time slice; its minimum
// granularity is as short as switching allows. The tolerated time beyond a time slice covers what a GPU's
// queue holds, or what a block takes.
constexpr int task_slices_per_tick = 4;
constexpr int task_granularities_per_tick = 20;
constexpr int tolerated_per_tick = 4;

TaskSlices::Lengths task_lengths(Nanos tick) {
  return {.slice = tick / task_slices_per_tick, .min_granularity = tick / task_granularities_per_tick};
}

bool ordered_has(std::vector<DomainId> const& ids, DomainId id) {
  return std::ranges::binary_search(ids, id);
}

} // namespace

Dispatcher::Dispatcher(Setup const& setup)
    : entry_(setup.policy), tunables_(setup.tunables), switch_cost_(setup.switch_cost),
      reservations_allowed_(setup.reservations), clock_at_zero_(setup.clock_at_zero),
      engine_line_(setup.engine_line), cpu_times_(setup.cpu_times),
      policy_(setup.policy->make(setup.tunables)), views_(setup.cpu_schedule), gate_(*this),
      pages_(setup.clock_at_zero, setup.cpu_times), runaways_(setup.runaway), changes_(setup.switch_cost),
      unclaimed_(setup.switch_cost),
      orders_({.answer = setup.runaway, .host_call = setup.host_call}, setup.cpu_times),
      meter_(monitor::UsageMeter::Limits{.overrun = setup.runaway}) {
  follow_policy();
}

// Applies what of the policy and its tunables concerns more than its decisions.
void Dispatcher::follow_policy() {
  gate_.set({.guests_poll = entry_->guests_poll, .engaged = entry_->engaged});
  shared_tasks_.keep_step(entry_->accounts);
  back_off_.tolerate(tunables_.tick / tolerated_per_tick);
  meter_.set_host_weight(tunables_.host_weight);
  reservations_.set_lengths(tunables_.tick, switch_cost_);
  for (auto& [id, domain] : records_.domains())
    set_lengths(domain);
}

void Dispatcher::set_lengths(DomainRecord& domain) const {
  domain.tasks.set(task_lengths(tunables_.tick));
  domain.service.tolerate(tunables_.tick);
}

DomainRecord& Dispatcher::record_of(DomainId domain) {
  if (DomainRecord* const known = records_.find(domain)) return *known;
  DomainRecord& record = records_.add(domain);
  set_lengths(record);
  return record;
}

void Dispatcher::set_domain(DomainId id, DomainSettings const& settings) {
  DomainRecord& domain = record_of(id);
  domain.settings = settings;
  caps_.set(domain, settings.cap, now_);
  reservations_.set(domain, settings.slo, now_);
  changed(domain);
}

void Dispatcher::forget_domain(DomainId id) {
  DomainRecord* const domain = records_.find(id);
  if (domain == nullptr) return;
  debtors_.erase(id);
  views_.forget(id);
  demand_.forget(*domain);
  back_off_.forget(*domain);
  caps_.forget(*domain);
  reservations_.forget(*domain, now_);
  records_.erase(*domain);
}

void Dispatcher::attach(TaskId id, DomainId domain, gate::GatePage& gate, gate::UsagePage const& usage,
                        Time now) {
  detach(id, now); // if its caller has missed that
  TaskRecord& task = records_.add(id, record_of(domain));
  task.usage_page = &usage;
  PageWatch::attach(task, now);
  task.domain->tasks.attach(task);
  task.metered = monitor::UsageMeter::attach(task.domain->usage, now);
  gate_.attach(id, gate, usage);
  kicked_.push_back(id);
}

void Dispatcher::detach(TaskId id, Time now) {
  TaskRecord* const task = records_.find(id);
  if (task == nullptr) return;
  kicked_.push_back(id); // reads its last totals
  read(now);
  if (!exclusive()) read_news(); // it may have waited for these
  task->domain->latency.merge(task->latency, latency_of(*task->usage_page));
  stopped(*task);
  meter_.detach(task->metered, now);
  gate_.detach(id);
  pages_.detach(*task);
  if (engine_line_ != nullptr) engine_line_->dismiss(id);
  std::erase(silent_, task);
  orders_.forget(*task);
  runaways_.forget(*task);
  shared_tasks_.forget(id);
  DomainRecord& domain = *task->domain;
  domain.tasks.detach(*task);
  records_.erase(*task);
  debtors_.insert(domain.id); // as far as is known
  changed(domain);
  if (domain.usage.tasks == 0) back_off_.left(now);
}

void Dispatcher::kicked(TaskId task) { kicked_.push_back(task); }

// The old policy sees the use up to this moment, the new one sees later use. Debts outlive a
// policy that keeps no accounts.
void Dispatcher::use(policies::Choice const& choice, Time now) {
  read(now);
  read_open(); // also what passes by itself
  if (entry_->accounts) {
    (void)policy_->decide(view());
    debts_seen();
    for (auto& [id, domain] : records_.domains())
      if (domain.debt = std::max(domain.debt, policy_->debt(id)); domain.debt > Nanos{0}) {
        debtors_.insert(id);
        changed(domain);
      }
  }
  switched_ = true;
  entry_ = choice.policy;
  tunables_ = choice.tunables;
  policy_ = entry_->make(tunables_);
  follow_policy();
  views_.begin_anew();
}

Actions Dispatcher::point(Time now) {
  read(now);
  renew_lease();
  take_answers();
  if (gate_.drain() || switched_) decide();
  give_up();
  post_orders();
  actions_.work = demand_.any();
  actions_.next = next_point();
  return std::exchange(actions_, {});
}

bool Dispatcher::order(TaskId id, gate::Order const& order) {
  TaskRecord* const task = records_.find(id);
  if (task == nullptr || !orders_.give(*task, order)) return false;
  task->domain->tasks.hold(*task, true);
  shared_tasks_.changed(task->domain->id);
  return true;
}

void Dispatcher::take_answers() {
  for (auto const& [task, answer] : orders_.take_answers(gate_)) {
    actions_.answered.emplace_back(task->id, answer);
    task->domain->tasks.hold(*task, false);
    shared_tasks_.changed(task->domain->id);
  }
}

void Dispatcher::post_orders() {
  for (TaskOrders::Step const& step : orders_.post(gate_, now_)) {
    if (step.posted != nullptr) actions_.wake.push_back(step.posted);
    if (step.asleep) actions_.interrupt.push_back(step.task->id);
    if (step.late && Runaways::give_up(*step.task)) actions_.give_up.push_back(step.task->id);
  }
}

void Dispatcher::give_up() {
  if (!runaways_.any_overdue(now_)) return;
  if (!exclusive()) read_news(); // what the device did for others is no fault of a task that waited for them
  auto const guilty = runaways_.take(
      now_, !exclusive(), [this](TaskRecord const& task) { return demand_.of_others(*task.domain); },
      [this](TaskRecord const& task) { return meter_.of_others_since_closing(task.metered); });
  for (TaskRecord const* const task : guilty) {
    actions_.give_up.push_back(task->id);
    ++task->domain->killed;
  }
}

// Called before any gate is opened.
void Dispatcher::renew_lease() {
  if (auto const until = lease_.renew(now_)) gate_.lease_until(monotonic_ns(*until));
}

// If the gates are drained, the domains that leave no longer have the device and those that run have it.
void Dispatcher::decide() {
  if (gate_.drained() && std::exchange(changing_, false)) slice_begins();
  switched_ = false;
  policies::Decision next = policy_->decide(view());
  if (bar_debtors()) next = policy_->decide(view()); // which sees no calls of theirs now
  debts_seen();
  // A domain may have the device without calls, too.
  std::erase_if(next.run, [this](DomainId domain) { return shut_out(record_of(domain)); });
  bool const was_reserved = reserved_;
  reserve(next);
  bool const same_run = next.run == decision_.run;
  bool const new_slice = !same_run || was_reserved != reserved_ ||
                         (next.reason != policies::Reason::unchanged && !next.run.empty());
  if (new_slice) log_.ended(decided_by_, decision_.run, next.reason, now_, meter_.device_busy());
  if (!same_run) promised_ = decision_.until;
  std::swap(decision_, next);
  decided_by_ = entry_->name;
  choose_tasks();
  changing_ = (changing_ || !same_run) && !gate_.drained();
  if (new_slice && !changing_) slice_begins();
  note_served();
}

// A domain that is due has the device to itself, whatever the policy says. For the policy its own decision has not been
// carried out yet, as while the device drains: it sees all calls, and who used the device, and nobody loses a place.
void Dispatcher::reserve(policies::Decision& next) {
  DomainRecord* const before = reservations_.chosen();
  DomainRecord* const due = keeps_reservations() ? reservations_.choose(gate_.drained(), now_) : nullptr;
  if (due == nullptr) reservations_.release(now_);
  bool const by_policy = due != nullptr && next.run.size() == 1 && next.run.front() == due->id;
  bool const begins = due != nullptr && !by_policy && (!reserved_ || before != due);
  reserved_ = due != nullptr && !by_policy;
  reservations_.give(reserved_);
  if (reserved_)
    next = {.run = {due->id},
            .until = reservations_.empty_at(now_),
            .ask_again = reservations_.ask_again(now_),
            .wake = {},
            .reason = begins ? policies::Reason::reservation : policies::Reason::unchanged,
            .exclusive = true,
            .pieces = next.pieces};
  if (before == due) return;
  if (before != nullptr) changed(*before);
  if (due != nullptr) changed(*due);
}

void Dispatcher::note_served() {
  std::span<DomainId const> served;
  if (gate_.drained()) served = decision_.run;
  if (std::ranges::equal(served_, served)) return;
  std::vector<DomainId> came_or_went;
  std::ranges::set_symmetric_difference(served_, served, std::back_inserter(came_or_went));
  served_.assign(served.begin(), served.end());
  for (DomainId const id : came_or_went)
    if (auto* const domain = records_.find(id)) sample_service(*domain);
}

// It may not have the device, whatever the policy says. A policy that has several domains run at a time does not
// look at their calls, and one without accounts knows no overruns.
bool Dispatcher::shut_out(DomainRecord const& domain) const {
  return Caps::spent(domain) || (entry_->accounts && barred(domain));
}

policies::View Dispatcher::view() {
  policies::View view =
      views_.view(entry_->reads_schedule && policy_->reads_schedule(), reserved_ ? now_ : run_since_, now_);
  view.switch_cost = switch_cost_;
  return view;
}

// The debts of the previous policy have been taken over. A domain that left has been seen once more, with all
// its use; it stays in the View as long as it owes something.
void Dispatcher::debts_seen() {
  for (DomainId const id : std::exchange(debtors_, {})) {
    DomainRecord& domain = records_.at(id);
    if (entry_->accounts) domain.debt = Nanos{0};
    bool const left = domain.usage.tasks == 0;
    if (domain.debt > Nanos{0} || (left && policy_->debt(id) > Nanos{0})) debtors_.insert(id);
    changed(domain);
  }
}

std::uint64_t Dispatcher::monotonic_ns(Time time) const {
  return static_cast<std::uint64_t>((time.time_since_epoch() + clock_at_zero_).count());
}

// The time slice may also be interrupted when the policy is asked again.
std::uint64_t Dispatcher::slice_ends() const {
  if (!exclusive() || decision_.run.empty()) return 0;
  DomainId const id = decision_.run.front();
  auto end = Time::max();
  if (demand_.of_others(records_.at(id))) end = std::min(decision_.until, decision_.ask_again);
  if (auto const left = cap_left(id)) end = std::min(end, now_ + *left);
  return end == Time::max() ? 0 : monotonic_ns(end);
}

gate::Gate::Pieces Dispatcher::pieces() const {
  if (!decision_.pieces) return {};
  return {.from_ns = monotonic_ns(std::max(decision_.pieces->from, Time{})),
          .longest_ns = static_cast<std::uint64_t>(decision_.pieces->longest.count())};
}

// If a domain has the device to itself, one of its tasks runs at a time. If domains share the
// device, all tasks run, but for those that are ahead of others of their domain if accounts are kept.
void Dispatcher::choose_tasks() {
  gate_.ends_at(slice_ends());
  if (exclusive()) {
    shared_tasks_.begin_anew();
    run(tasks_in_turn());
  } else {
    run(shared_tasks_.choose(decision_.run, [this](DomainId domain) {
      DomainRecord* const known = records_.find(domain);
      return known == nullptr ? nullptr : &known->tasks;
    }));
  }
  gate_.limit(pieces());
}

std::vector<TaskId> Dispatcher::tasks_in_turn() {
  std::vector<TaskId> tasks;
  for (DomainId const domain : decision_.run)
    if (TaskRecord const* const task = record_of(domain).tasks.pick()) tasks.push_back(task->id);
  std::ranges::sort(tasks);
  return tasks;
}

void Dispatcher::run(std::vector<TaskId> const& tasks) {
  if (tasks == gate_.chosen()) return;
  std::vector<TaskId> wake;
  if (!decision_.wake.empty())
    for (TaskId const task : tasks)
      if (ordered_has(decision_.wake, records_.at(task).domain->id)) wake.push_back(task);
  gate_.apply(tasks, wake, exclusive() ? std::vector<TaskId>{} : orders_.tasks());
}

void Dispatcher::entering(TaskId id) {
  if (engine_line_ != nullptr) engine_line_->admit(id);
}

void Dispatcher::opened(TaskId id, std::atomic<std::uint32_t>& word) {
  TaskRecord& task = records_.at(id);
  task.holds = true;
  pages_.opened(task);
  if (task.executing_since) runaways_.executes(task, task.executing_since);
  monitor::UsageMeter::gate_opened(task.metered, now_);
  changes_.opened(task);
  actions_.wake.push_back(&word);
  if (ordered_has(decision_.wake, task.domain->id) &&
      gate::wants_device(task.usage_page->activity.load(std::memory_order_relaxed)))
    actions_.boost.push_back({task.domain->id, task.usage_page->last_vcpu.load(std::memory_order_relaxed)});
}

void Dispatcher::closed(TaskId id) {
  TaskRecord& task = records_.at(id);
  PageWatch::closed(task);
  meter_.gate_closed(task.metered, now_);
  changes_.closed(task, now_);
  if (demand_.of_others(*task.domain)) blocks(task);
}

void Dispatcher::blocks(TaskRecord& task) {
  runaways_.blocks(task, now_);
  if (cpu_times_) task.cpu_wait = cpu_times_(task.id).waited;
}

void Dispatcher::drained(TaskId id) {
  if (!exclusive()) read_news(); // it may have waited for these
  TaskRecord& task = records_.at(id);
  read_task(task); // what the task published before it stopped
  meter_.drained(task.metered, now_);
  read_task(task); // and what drained() charged
  stopped(task);
  task.holds = false;
  if (engine_line_ != nullptr) engine_line_->dismiss(id);
  runaways_.stopped(task);
  changed(*task.domain);
}

// The task no longer has the device. Its domain pays for the time that the task kept the device from others
// beyond its promised time.
void Dispatcher::stopped(TaskRecord const& task) {
  auto const blocks_since = task.conduct.blocks;
  if (!blocks_since) return;
  Time since = *blocks_since;
  if (exclusive())
    since = std::max(since, ordered_has(decision_.run, task.domain->id) ? decision_.until : promised_);
  bool const killed = task.conduct.given_up;
  if (!killed && !exclusive() && task.order) return; // no time slice of it had ended
  if (!killed && reservations_.gives(*task.domain))
    return; // what it takes too much, its next reservation lacks
  // From those for whom the device worked meanwhile it was not kept: the task may have waited for them.
  Nanos overrun = now_ - since - meter_.of_others_since_closing(task.metered);
  // Neither who waits for a CPU can stop, nor work for which the device changes its owner. That does not excuse a task
  // that had to be killed.
  if (!killed && !back_off_.tolerates(overrun)) overrun -= changes_.since(task, since, records_);
  if (!killed && cpu_times_ && !back_off_.tolerates(overrun))
    overrun -= std::max(cpu_times_(task.id).waited - task.cpu_wait, Nanos{0});
  if (!killed && back_off_.tolerates(overrun)) return;
  std::vector<DomainId> const waiting = Demand::others(*task.domain, records_);
  double const parts = parts_of(waiting, task.domain->id);
  back_off_.note({.domain = task.domain, .time = overrun, .killed = killed, .waiting = {waiting, parts}});
}

// The domains' parts of the device over that of `of`.
double Dispatcher::parts_of(std::span<DomainId const> domains, DomainId of) const {
  auto const part = [this](DomainId domain) {
    policies::DomainView const* const seen = views_.find(domain);
    return seen == nullptr ? policies::min_credits
                           : std::max(entry_->divides_by(*seen), policies::min_credits);
  };
  double sum = 0;
  for (DomainId const domain : domains)
    sum += part(domain);
  return sum / part(of);
}

// When the policy has charged them. Who owes nothing even so has kept nobody from what is theirs.
bool Dispatcher::bar_debtors() {
  auto const barred = back_off_.judge(
      [this](DomainId domain) { return !entry_->accounts || policy_->debt(domain) > Nanos{0}; }, now_);
  for (DomainRecord* const domain : barred)
    changed(*domain);
  return !barred.empty();
}

bool Dispatcher::exclusive() const { return entry_->exclusive || decision_.exclusive; }

void Dispatcher::slice_begins() {
  run_since_ = now_;
  if (reserved_) reservations_.begins(now_);
  log_.began(now_, meter_.device_busy());
}

Time Dispatcher::next_point() const {
  Time wanted = now_ + drain_check;
  if (gate_.drained()) {
    wanted = std::min({decision_.until, decision_.ask_again, back_off_.next_end(), caps_.next_end()});
    if (keeps_reservations()) wanted = std::min(wanted, reservations_.next_due(now_));
    for (DomainId const domain : decision_.run)
      if (auto const left = cap_left(domain)) wanted = std::min(wanted, now_ + *left);
    if (exclusive())
      for (DomainId const domain : decision_.run)
        if (auto const in = records_.at(domain).tasks.pick_in()) wanted = std::min(wanted, now_ + *in);
  }
  if (!exclusive() && shared_used_) wanted = std::min(wanted, now_ + tunables_.tick);
  if (!gate_.opened().empty()) wanted = std::min(wanted, lease_.renewal());
  if (!orders_.empty()) wanted = std::min<Time>(wanted, now_ + TaskOrders::look_interval);
  if (!pages_.on_host().empty()) wanted = std::min(wanted, host_read_at_ + host_review);
  return std::max(wanted, now_ + shortest_wait);
}

// Tasks whose gate is open or that have not stopped yet.
std::vector<TaskId> Dispatcher::holders() const {
  std::vector<TaskId> tasks = gate_.opened();
  tasks.insert(tasks.end(), gate_.draining().begin(), gate_.draining().end());
  return tasks;
}

bool Dispatcher::running(DomainId domain) const {
  return gate_.drained() && ordered_has(decision_.run, domain);
}

std::optional<DomainId> Dispatcher::domain_of(TaskId task) const {
  TaskRecord const* const known = records_.find(task);
  return known == nullptr ? std::nullopt : std::optional(known->domain->id);
}

// How long a domain may still use the device under its cap.
std::optional<Nanos> Dispatcher::cap_left(DomainId id) const {
  DomainRecord const* const domain = records_.find(id);
  return domain == nullptr ? std::nullopt : Caps::left(*domain, now_);
}

bool Dispatcher::given_up(TaskId id) const {
  TaskRecord const* const task = records_.find(id);
  return task != nullptr && task->conduct.given_up;
}

bool Dispatcher::disobeyed(TaskId id) const {
  TaskRecord const* const task = records_.find(id);
  return task != nullptr && task->conduct.given_up && task->order && task->order->posted;
}

std::uint32_t Dispatcher::calling_vcpu(DomainId domain) const {
  DomainRecord const* const known = records_.find(domain);
  TaskRecord const* const task = known == nullptr ? nullptr : known->tasks.next();
  return task == nullptr ? 0 : task->usage_page->last_vcpu.load(std::memory_order_relaxed);
}

std::vector<Caller> Dispatcher::on_device() const {
  std::vector<Caller> callers;
  for (TaskId const id : holders()) {
    TaskRecord const& task = records_.at(id);
    // Read now; the last point may be out of date.
    if (task.usage_page->executing_since_ns.load(std::memory_order_relaxed) != 0)
      callers.push_back({task.domain->id, task.usage_page->last_vcpu.load(std::memory_order_relaxed)});
  }
  return callers;
}

monitor::DomainUsage Dispatcher::usage_since_reset(DomainId id) const {
  DomainRecord const* const domain = records_.find(id);
  return domain == nullptr ? monitor::DomainUsage{} : domain->baseline.since(domain->usage);
}

monitor::LatencyHistogram const& Dispatcher::latency(DomainId id) const {
  static const monitor::LatencyHistogram nothing;
  DomainRecord const* const domain = records_.find(id);
  return domain == nullptr ? nothing : domain->latency;
}

monitor::Service Dispatcher::service(DomainId id) const {
  DomainRecord const* const domain = records_.find(id);
  return domain == nullptr ? monitor::Service{} : domain->service.service(now_);
}

Conduct Dispatcher::conduct(DomainId id) const {
  DomainRecord const* const domain = records_.find(id);
  if (domain == nullptr) return {};
  return {.debt = std::max(domain->debt, policy_->debt(id)),
          .killed = domain->killed,
          .barred_until = reservations_.gives(*domain) ? Time{} : BackOff::until(*domain),
          .capped = Caps::spent(*domain)};
}

// Reads the tasks that kicked and those that have the device. Under a shared policy all tasks have it: only
// those with news are read, and not at every kick.
void Dispatcher::read(Time now) {
  bool const held = !gate_.opened().empty() || !gate_.draining().empty();
  if (held && now > lease_.until()) pass_over(now - lease_.until());
  now_ = now;
  for (TaskId const id : std::exchange(kicked_, {}))
    if (TaskRecord* const task = records_.find(id)) {
      read_task(*task);
      gate_.rang(id);
      if (auto* const word = gate_.reopen(id)) actions_.wake.push_back(word);
    }
  if (exclusive() || now_ >= shared_read_at_ + shared_review) {
    shared_read_at_ = now_;
    exclusive() ? read_open() : read_news();
    charge_unclaimed();
    Nanos const busy = meter_.device_busy();
    shared_used_ = std::exchange(shared_busy_, busy) != busy || demand_.any();
  }
  if (now_ >= host_read_at_ + host_review) {
    host_read_at_ = now_;
    for (TaskRecord* const task : std::vector(pages_.on_host().begin(), pages_.on_host().end()))
      read_task(*task);
  }
  for (TaskId const id : gate_.draining())
    read_task(records_.at(id));
  for (TaskId const id : gate_.draining()) {
    TaskRecord& task = records_.at(id);
    if (!demand_.of_others(*task.domain))
      runaways_.blocks(task, std::nullopt);
    else if (!task.conduct.blocks)
      blocks(task);
  }
  while (DomainRecord* const domain =
             back_off_.take_ended(now_, [this](DomainId id) { return wanted_at(id); }))
    changed(*domain);
  while (DomainRecord* const domain = caps_.take_ended(now_))
    changed(*domain);
}

// When the domain last wanted the device; nullopt if it has left.
std::optional<Time> Dispatcher::wanted_at(DomainId id) const {
  DomainRecord const* const domain = records_.find(id);
  return domain == nullptr ? std::nullopt : Demand::wanted_at(*domain, now_);
}

// The caller has been held up (stopped, swapped out) for longer than a lease: gates closed by themselves at its
// end, and what passed since then is nobody's.
void Dispatcher::pass_over(Nanos stall) {
  run_since_ = std::max(run_since_, now_) + stall;
  for (TaskId const id : gate_.draining())
    monitor::UsageMeter::pass_over(records_.at(id).metered, stall);
  runaways_.pass_over(stall);
}

void Dispatcher::read_open() {
  for (TaskId const id : gate_.opened())
    read_task(records_.at(id));
}

void Dispatcher::read_news() {
  for (TaskRecord* const task : pages_.news(now_))
    read_task(*task);
}

// Tasks that keep the device from others and do not say that they execute. What is asked here is not what they report.
std::vector<TaskRecord*> Dispatcher::silent() {
  if (exclusive()) return {}; // time slices end, and an open gate without use is charged
  auto const executes = [](TaskRecord const* task) {
    return task->usage_page->executing_since_ns.load() != 0;
  };
  auto const first = engine_line_ == nullptr ? std::nullopt : engine_line_->first();
  if (TaskRecord* const task = first ? records_.find(*first) : nullptr)
    return executes(task) ? std::vector<TaskRecord*>{} : std::vector{task};
  if (demand_.only(decision_.run, records_) ||
      std::ranges::any_of(holders(), [&](TaskId id) { return executes(&records_.at(id)); }))
    return {};
  std::vector<TaskRecord*> tasks;
  for (TaskId const id : gate_.opened())
    if (TaskRecord& task = records_.at(id);
        gate::wants_device(task.usage_page->activity.load(std::memory_order_relaxed)))
      tasks.push_back(&task);
  return tasks;
}

void Dispatcher::charge_unclaimed() {
  for (TaskRecord* const task : std::exchange(silent_, silent()))
    if (task->holds) runaways_.executes(*task, task->executing_since);
  for (UnclaimedHolds::Hold const& hold : unclaimed_.look(silent_, now_)) {
    runaways_.executes(*hold.task, hold.since);
    meter_.charge(hold.task->metered, hold.time);
    changed(*hold.task->domain);
  }
}

// What a guest may claim depends on the time since the reading before: one that found no news counts, too.
void Dispatcher::read_task(TaskRecord& task) {
  auto const [totals, since_last, unchanged] = pages_.read(task, now_);
  if (unchanged) meter_.read(task.metered, unchanged->first, unchanged->second);
  meter_.read(task.metered, totals, now_);
  if (!changes_.cost_nothing())
    changes_.read(task, monitor::UsageMeter::usage(task.metered).device_busy, totals.executing_since, now_);
  Nanos const used = std::max(monitor::UsageMeter::used(task.metered), task.used);
  task.domain->tasks.read(task, {.ready = totals.waiting,
                                 .used = used - task.used,
                                 .gate_open = task.holds && exclusive() ? since_last : Nanos{0}});
  task.used = used;
  if (task.holds && task.executing_since != totals.executing_since)
    runaways_.executes(task, totals.executing_since);
  task.executing_since = totals.executing_since;
  changed(*task.domain);
}

// Updates all that is derived from the domain's state.
void Dispatcher::changed(DomainRecord& domain) {
  DomainId const id = domain.id;
  monitor::DomainUsage const& usage = domain.usage;
  caps_.used(domain, usage.device_busy, now_);
  bool const wants = usage.calls_waiting > 0 && !Caps::spent(domain);
  reservations_.update(
      domain,
      {.has_calls = usage.calls_waiting > 0,
       .may_run = usage.tasks > 0 && !Caps::spent(domain) && !(barred(domain) && BackOff::killed(domain)),
       .used = usage.device_busy},
      now_);
  excuse(domain, usage.device_busy);
  if (usage.tasks == 0)
    demand_.forget(domain);
  else
    demand_.set(domain, wants && (!barred(domain) || reservations_.gives(domain)), now_);
  shared_tasks_.changed(id);
  sample_service(domain);
  views_.set(id, domain.settings, usage,
             {.now = now_,
              .calling_vcpu = calling_vcpu(id),
              .average_wait = domain.service.service().average_wait,
              .barred = barred(domain),
              .capped = Caps::spent(domain),
              .in_debt = debtors_.contains(id),
              .debt = domain.debt,
              .excused = domain.excused});
}

void Dispatcher::excuse(DomainRecord& domain, Nanos used) {
  Nanos const more = std::max(used - std::exchange(domain.used, used), Nanos{0});
  if (more > Nanos{0} && reservations_.gives(domain) && policy_->debt(domain.id) > remembered_debt)
    domain.excused += more;
}

void Dispatcher::sample_service(DomainRecord& domain) {
  monitor::DomainUsage const& usage = domain.usage;
  domain.service.sample({.has_calls = usage.calls_waiting > 0,
                         .gate_open = ordered_has(served_, domain.id),
                         .device_busy = usage.device_busy,
                         .slo = domain.settings.slo},
                        now_);
}

void Dispatcher::bring_up_to_date(Time now) {
  read(now);
  for (auto& [id, task] : records_.tasks()) {
    read_task(task);
    task.domain->latency.merge(task.latency, latency_of(*task.usage_page));
  }
  for (auto& [id, domain] : records_.domains())
    sample_service(domain);
}

monitor::TaskUsage Dispatcher::task_usage(TaskId task, Time now) {
  now_ = now;
  TaskRecord& record = records_.at(task);
  read_task(record);
  return monitor::UsageMeter::usage(record.metered);
}

void Dispatcher::reset_statistics(Time now) {
  bring_up_to_date(now);
  reset_at_ = now;
  for (auto& [id, domain] : records_.domains()) {
    domain.baseline.reset(domain.usage);
    domain.latency = {};
    domain.service.reset();
    domain.killed = 0;
  }
}

} // namespace pegasus::scheduler
