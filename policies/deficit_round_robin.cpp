// SPDX-License-Identifier: Apache-2.0
#include "policies/deficit_round_robin.h"

#include "policies/accounts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pegasus::policies {

namespace {

// The longest time slices, of 16 ticks (accc.h), are less than a second.
constexpr std::int64_t max_stretch = 6;

} // namespace

DeficitRoundRobin::DeficitRoundRobin(Tunables const& tunables, Credits credits)
    : tick_(tunables.bounded_tick()), min_granularity_(tick_ / granularities_per_tick),
      max_debt_(tick_ * max_debt_ticks), anticipation_(tunables, credits),
      longest_wait_(tunables.longest_wait) {}

Decision DeficitRoundRobin::decide(View const& view, SliceRule const& rule) {
  view_ = &view;
  rule_ = &rule;
  Nanos const had = had_device(view, now_);
  now_ = view.now;
  if (!running_) idle_ += had;
  bool const was_running = running_.has_value();
  Nanos const seen = running_ ? accounts_[*running_].seen_total : Nanos{0};
  anticipation_.update(view);
  if (anticipation_.automatic())
    stretch_ = std::clamp<std::int64_t>(anticipation_.least_slice(tick_) / tick_, 1, max_stretch);
  update(view);
  if (running_) charge_idle_time(had, accounts_[*running_].seen_total - seen);

  Reason reason = was_running && !running_ ? Reason::departure : Reason::unchanged;
  if (auto const stop = stop_reason()) {
    if (reason != Reason::departure) reason = *stop;
    auto const next = pick();
    // It ran in debt, on overdraft, and now has a regular time slice: nothing changes for it.
    if (next && running_ == next && reason == Reason::arrival) reason = Reason::unchanged;
    start(next, stop == Reason::arrival);
  }
  return answer(reason);
}

// For the time since the last View, in which the running domain had the device.
void DeficitRoundRobin::charge_idle_time(Nanos had, Nanos used) {
  DrrQueue& account = accounts_[*running_];
  ran_ += had;
  account.gate_left -= had;
  if (!anticipation_.automatic()) return; // a time slice ends by gate_left, and its rest is kept
  step_out(*running_);
  account.spend(anticipation_.idle_cost(had, used), max_debt_, contenders_ > (account.ready ? 1 : 0));
  line_up(*running_);
}

void DeficitRoundRobin::start(std::optional<std::uint32_t> next, bool interrupts) {
  Nanos const change = anticipation_.begin_slice(next && next != running_, running_ && interrupts);
  running_ = next;
  ran_ = Nanos{0};
  if (!next) return;
  step_out(*next);
  DrrQueue& account = accounts_[*next];
  account.fresh = account.yielded = false;
  account.spend(change, max_debt_, ready_ > 1);
  line_up(*next);
}

void DeficitRoundRobin::update(View const& view) {
  contenders_ = ready_;
  if (!view.changed) return look_at_all(view);
  for (std::uint32_t const position : *view.changed)
    look_at(position);
}

// Domains came or went: brings the accounts into the View's order, which is by id.
void DeficitRoundRobin::look_at_all(View const& view) {
  follow(view, accounts_, running_, [this](DomainView const& domain) { return enter(domain); });
  places_.assign(accounts_.size(), {});
  line_.clear();
  resumable_.clear();
  ready_ = static_cast<std::uint32_t>(std::ranges::count_if(accounts_, &DrrQueue::ready));
  for (std::uint32_t position = 0; position < accounts_.size(); ++position)
    look_at(position);
}

DrrQueue DeficitRoundRobin::enter(DomainView const& domain) const {
  DrrQueue account;
  account.id = domain.id;
  account.balance = -std::clamp(domain.debt, Nanos{0}, max_debt_);
  account.seen_total = total_of(domain);
  account.seen_idle = idle_;
  account.round = round_; // its first time slice is in the next round: leaving and coming back gains nothing
  if (ready_ > 0) account.begin_on_advance(min_granularity_);
  return account;
}

void DeficitRoundRobin::look_at(std::uint32_t position) {
  DrrQueue& account = accounts_[position];
  DomainView const& domain = view_->domains[position];
  step_out(position);
  bool const ready = domain.calls_waiting > 0;
  account.charge(total_of(domain), max_debt_, contenders_ > (account.ready ? 1 : 0));
  account.forgive(idle_);
  account.order = rule_->order(domain);
  account.length = length_of(position);
  if (running_ != position && account.open)
    account.preempt(min_granularity_); // its last kernel may have used up the rest of its time slice
  if (ready && !account.ready)
    if (std::uint64_t const last = passed_in(account); last > account.round)
      account.pass(last - account.round, last, min_granularity_);
  ready_ += (ready ? 1u : 0u) - (account.ready ? 1u : 0u);
  account.ready = ready;
  account.fresh = account.fresh || domain.tasks == 0;
  line_up(position);
}

Nanos DeficitRoundRobin::length_of(std::uint32_t position) const {
  Nanos const usual = stretch_ * rule_->length(view_->domains[position], accounts_[position].fresh);
  return std::max(Nanos{std::llround(part_ * static_cast<double>(usual.count()))}, Nanos{1});
}

void DeficitRoundRobin::begin_round(std::uint64_t round) {
  if (round == std::exchange(round_, round)) return;
  Nanos const usual = stretch_ * tick_;
  Nanos const slice = shortened(usual, ready_, longest_wait_, anticipation_.least_slice(min_granularity_));
  part_ = static_cast<double>(slice.count()) / static_cast<double>(usual.count());
}

// The last round that has passed the domain's place.
std::uint64_t DeficitRoundRobin::passed_in(DrrQueue const& account) const {
  return account.order <= passed_ ? round_ : round_ - 1;
}

std::uint64_t DeficitRoundRobin::next_visit(DrrQueue const& account) const {
  return std::max(account.round, passed_in(account)) + 1;
}

void DeficitRoundRobin::line_up(std::uint32_t position) {
  DrrQueue const& account = accounts_[position];
  if (!account.ready) return;
  Place& place = places_[position];
  place = {account.open ? 0 : next_visit(account) + account.visits_needed(min_granularity_) - 1,
           account.order, position};
  line_.insert(place);
  if (account.open && account.yielded) resumable_.insert(place);
}

void DeficitRoundRobin::step_out(std::uint32_t position) {
  line_.erase(places_[position]);
  resumable_.erase(places_[position]);
}

// It has no calls and keeps its time slice.
bool DeficitRoundRobin::held(std::uint32_t position) const {
  return !accounts_[position].ready && !accounts_[position].overdraft && anticipation_.held(position);
}

// In how long a domain that returns to its time slice may interrupt the running one.
Nanos DeficitRoundRobin::resumes_in() const {
  if (!anticipation_.automatic()) return std::max(min_granularity_ - ran_, Nanos{0});
  return anticipation_.may_interrupt_in(resumable_.begin()->position, ran_,
                                        anticipation_.least_slice(min_granularity_));
}

// Returns why the running time slice is over or interrupted, nullopt if it goes on.
std::optional<Reason> DeficitRoundRobin::stop_reason() {
  if (!running_) return Reason::arrival;
  DrrQueue& account = accounts_[*running_];
  bool const used_up = account.usable() <= Nanos{0};
  bool const keeps = account.ready || held(*running_);
  if (keeps && !used_up) {
    if (account.overdraft ? ready_ == 1 : resumable_.empty() || resumes_in() > Nanos{0}) return std::nullopt;
  }
  step_out(*running_);
  if (!keeps) account.yielded = true;
  account.preempt(min_granularity_); // a time slice that is used up or given on overdraft is over
  line_up(*running_);
  return !account.ready ? Reason::yield : used_up ? Reason::slice_end : Reason::arrival;
}

// Unfinished time slices come first: those of returning domains, then those that were
// interrupted. Then the round goes on.
std::optional<std::uint32_t> DeficitRoundRobin::pick() {
  if (ready_ == 0) return std::nullopt;
  if (!resumable_.empty()) return resumable_.begin()->position;
  for (;;) {
    Place const first = *line_.begin();
    if (first.round == 0) return first.position;
    DrrQueue& account = accounts_[first.position];
    step_out(first.position);
    // A domain that is alone need not be out of debt.
    std::uint64_t const last = ready_ == 1 ? next_visit(account) : first.round;
    begin_round(last);
    account.length = length_of(first.position);
    account.replenish(last - account.round, last, min_granularity_);
    if (!account.open && ready_ == 1) account.begin_overdraft(min_granularity_);
    passed_ = account.order;
    line_up(first.position);
  }
}

Nanos DeficitRoundRobin::debt(DomainId id) const {
  DrrQueue const* const found = find(accounts_, id);
  if (found == nullptr) return Nanos{0};
  DrrQueue account = *found;
  account.forgive(idle_);
  std::uint64_t const last = passed_in(account);
  if (!account.ready && last > account.round) account.pass(last - account.round, last, min_granularity_);
  return std::max(-account.balance, Nanos{0});
}

Decision DeficitRoundRobin::answer(Reason reason) const {
  if (!running_) return {{}, now_ + idle_review, now_ + idle_review, {}, Reason::idle};
  DrrQueue const& account = accounts_[*running_];
  Decision decision;
  decision.run = {account.id};
  Nanos const usable = account.usable(); // none if the change to it cost more than it had
  decision.until = now_ + (usable > Nanos{0} ? usable : shortest_review);
  decision.ask_again = decision.until;
  decision.reason = reason;
  if (!account.ready) decision.ask_again = std::min(decision.ask_again, anticipation_.next_sample(*running_));
  if (!resumable_.empty() && (anticipation_.automatic() || ran_ < min_granularity_))
    decision.ask_again = std::min(decision.ask_again, now_ + std::max(resumes_in(), shortest_review));
  return decision;
}

// The round of a place is that of the moment at which the domain was lined up: the domain is not visited before, whatever
// rounds have passed since.
void DeficitRoundRobin::visit(StateVisitor& state) {
  std::vector<std::uint64_t> rounds;
  for (std::uint32_t position = 0; position < accounts_.size(); ++position)
    rounds.push_back(accounts_[position].ready ? places_[position].round : 0);
  state.field("anticipation", anticipation_);
  state.field("stretch", stretch_);
  state.field("part", part_);
  state.time_or("now", now_, no_view);
  state.duration("idle", idle_);
  state.field("round", round_);
  state.field("passed", passed_);
  state.accounts("accounts", accounts_);
  state.field("places", rounds);
  state.field("contenders", contenders_);
  state.position("running", running_, accounts_.size());
  state.field("ran", ran_);
  if (state.restoring()) restore_places(rounds, state);
}

void DeficitRoundRobin::restore_places(std::vector<std::uint64_t> const& rounds, StateVisitor& state) {
  constexpr std::int64_t longest = StateVisitor::longest.count();
  state.require(part_ > 0 && part_ <= 1, "part");
  state.require(round_ > 0 && round_ < longest, "round");
  state.require(rounds.size() == accounts_.size(), "places");
  if (rounds.size() != accounts_.size()) accounts_.clear();
  places_.assign(accounts_.size(), {});
  ready_ = static_cast<std::uint32_t>(std::ranges::count_if(accounts_, &DrrQueue::ready));
  for (std::uint32_t position = 0; position < accounts_.size(); ++position) {
    DrrQueue const& account = accounts_[position];
    state.require(account.round <= round_, "round");
    if (!account.ready) continue;
    // What a visit credits it with can be counted.
    auto const most = static_cast<std::uint64_t>(longest / account.length.count());
    std::uint64_t const last = std::max(round_, rounds[position]);
    state.require(last - account.round <= most, "round");
    state.require(rounds[position] == 0 ? account.open : rounds[position] > account.round, "places");
    places_[position] = {rounds[position], account.order, position};
    line_.insert(places_[position]);
    if (account.open && account.yielded) resumable_.insert(places_[position]);
  }
}

} // namespace pegasus::policies
