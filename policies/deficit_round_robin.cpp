// SPDX-License-Identifier: Apache-2.0
#include "policies/deficit_round_robin.h"

#include "policies/accounts.h"

#include <algorithm>
#include <utility>

namespace pegasus::policies {

DeficitRoundRobin::DeficitRoundRobin(Tunables const& tunables)
    : tick_(tunables.bounded_tick()), hold_(tunables.hold), min_granularity_(tick_ / granularities_per_tick),
      max_debt_(tick_ * max_debt_ticks) {}

Decision DeficitRoundRobin::decide(View const& view, SliceRule const& rule) {
  view_ = &view;
  rule_ = &rule;
  Nanos const had = had_device(view, now_);
  now_ = view.now;
  if (!running_) idle_ += had;
  bool const was_running = running_.has_value();
  update(view);
  if (running_) {
    accounts_[*running_].gate_left -= had;
    ran_ += had;
  }

  Reason reason = was_running && !running_ ? Reason::departure : Reason::unchanged;
  if (auto const stop = stop_reason()) {
    if (reason != Reason::departure) reason = *stop;
    auto const next = pick();
    // It ran in debt, on overdraft, and now has a regular time slice: nothing changes for it.
    if (next && running_ == next && reason == Reason::arrival) reason = Reason::unchanged;
    running_ = next;
    ran_ = Nanos{0};
    if (next) {
      step_out(*next);
      accounts_[*next].fresh = accounts_[*next].yielded = false;
      line_up(*next);
    }
  }
  return answer(reason);
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
  account.gap = CallGap(now_);
  account.round = round_; // its first time slice is in the next round: leaving and coming back gains nothing
  return account;
}

void DeficitRoundRobin::look_at(std::uint32_t position) {
  DrrQueue& account = accounts_[position];
  DomainView const& domain = view_->domains[position];
  step_out(position);
  bool const ready = domain.calls_waiting > 0;
  account.gap.sample(now_, domain, account.ready, total_of(domain) - account.seen_total);
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
  return std::max(rule_->length(view_->domains[position], accounts_[position].fresh), Nanos{1});
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
bool DeficitRoundRobin::held(DrrQueue const& account) const {
  return !account.ready && !account.overdraft && account.gap.held(now_, hold_);
}

// Returns why the running time slice is over or interrupted, nullopt if it goes on.
std::optional<Reason> DeficitRoundRobin::stop_reason() {
  if (!running_) return Reason::arrival;
  DrrQueue& account = accounts_[*running_];
  bool const used_up = account.usable() <= Nanos{0};
  bool const keeps = account.ready || held(account);
  if (keeps && !used_up) {
    if (account.overdraft ? ready_ == 1 : ran_ < min_granularity_ || resumable_.empty()) return std::nullopt;
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
    account.length = length_of(first.position);
    // A domain that is alone need not be out of debt.
    std::uint64_t const last = ready_ == 1 ? next_visit(account) : first.round;
    account.replenish(last - account.round, last, min_granularity_);
    if (!account.open && ready_ == 1) account.begin_overdraft(min_granularity_);
    round_ = last;
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
  decision.until = now_ + account.usable();
  decision.ask_again = decision.until;
  decision.reason = reason;
  if (!account.ready) decision.ask_again = std::min(decision.ask_again, account.gap.next_sample(now_, hold_));
  if (!resumable_.empty() && ran_ < min_granularity_)
    decision.ask_again = std::min(decision.ask_again, now_ + (min_granularity_ - ran_));
  return decision;
}

} // namespace pegasus::policies
