// SPDX-License-Identifier: Apache-2.0
#include "policies/turn_keeper.h"

#include "policies/accounts.h"

#include <algorithm>
#include <utility>

namespace pegasus::policies {

TurnKeeper::TurnKeeper(Nanos tick)
    : tick_(tick), grain_(tick_ / grains_per_tick), deepest_(tick_ * deepest_debt_ticks) {}

Decision TurnKeeper::decide(View const& view, TurnRule const& rule) {
  view_ = &view;
  rule_ = &rule;
  const Nanos had = had_device(view, now_);
  now_ = view.now;
  if (!running_) idle_ += had;
  bool const was_running = running_.has_value();
  look(view);
  if (running_) {
    accounts_[*running_].gate_left -= had;
    ran_ += had;
  }

  Reason reason = was_running && !running_ ? Reason::departure : Reason::unchanged;
  if (auto const stop = stop_reason()) {
    if (reason != Reason::departure) reason = *stop;
    auto const next = pick();
    // It ran in debt, out of courtesy, and now has a regular turn: nothing changes for it.
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

void TurnKeeper::look(View const& view) {
  contenders_ = ready_;
  if (!view.changed) return look_at_all(view);
  for (const std::uint32_t position : *view.changed)
    look_at(position);
}

// Domains came or went: brings the accounts into the View's order, which is by id.
void TurnKeeper::look_at_all(View const& view) {
  follow(view, accounts_, running_, [this](DomainView const& domain) { return enter(domain); });
  places_.assign(accounts_.size(), {});
  line_.clear();
  returning_.clear();
  ready_ = static_cast<std::uint32_t>(std::ranges::count_if(accounts_, &TurnAccount::ready));
  for (std::uint32_t position = 0; position < accounts_.size(); ++position)
    look_at(position);
}

TurnAccount TurnKeeper::enter(DomainView const& domain) const {
  TurnAccount account;
  account.id = domain.id;
  account.balance = -std::clamp(domain.debt, Nanos{0}, deepest_);
  account.seen_total = total_of(domain);
  account.seen_idle = idle_;
  account.round = round_; // its first turn is in the next round: leaving and coming back gains nothing
  return account;
}

void TurnKeeper::look_at(std::uint32_t position) {
  TurnAccount& account = accounts_[position];
  DomainView const& domain = view_->domains[position];
  step_out(position);
  account.charge(total_of(domain), deepest_, contenders_ > (account.ready ? 1 : 0));
  account.forgive(idle_);
  account.order = rule_->order(domain);
  account.length = length_of(position);
  if (running_ != position && account.open)
    account.pause(grain_); // its last kernel may have used up the rest of its turn
  bool const ready = domain.calls_waiting > 0;
  if (ready && !account.ready)
    if (const std::uint64_t last = passed_in(account); last > account.round)
      account.pass(last - account.round, last, grain_);
  ready_ += (ready ? 1u : 0u) - (account.ready ? 1u : 0u);
  account.ready = ready;
  account.fresh = account.fresh || domain.tasks == 0;
  line_up(position);
}

Nanos TurnKeeper::length_of(std::uint32_t position) const {
  return std::max(rule_->length(view_->domains[position], accounts_[position].fresh), Nanos{1});
}

// The last round that has passed the domain's place.
std::uint64_t TurnKeeper::passed_in(TurnAccount const& account) const {
  return account.order <= passed_ ? round_ : round_ - 1;
}

std::uint64_t TurnKeeper::next_visit(TurnAccount const& account) const {
  return std::max(account.round, passed_in(account)) + 1;
}

void TurnKeeper::line_up(std::uint32_t position) {
  TurnAccount const& account = accounts_[position];
  if (!account.ready) return;
  Place& place = places_[position];
  place = {account.open ? 0 : next_visit(account) + account.visits_needed(grain_) - 1, account.order,
           position};
  line_.insert(place);
  if (account.open && account.yielded) returning_.insert(place);
}

void TurnKeeper::step_out(std::uint32_t position) {
  line_.erase(places_[position]);
  returning_.erase(places_[position]);
}

// Returns why the running turn is over or interrupted, nullopt if it goes on.
std::optional<Reason> TurnKeeper::stop_reason() {
  if (!running_) return Reason::arrival;
  TurnAccount& account = accounts_[*running_];
  bool const used_up = account.usable() <= Nanos{0};
  if (account.ready && !used_up) {
    if (account.courtesy ? ready_ == 1 : ran_ < grain_ || returning_.empty()) return std::nullopt;
  }
  step_out(*running_);
  if (!account.ready) account.yielded = true;
  account.pause(grain_); // a turn that is used up or given out of courtesy is over
  line_up(*running_);
  return !account.ready ? Reason::yield : used_up ? Reason::slice_end : Reason::arrival;
}

// Unfinished turns come first: those of returning domains, then those that were
// interrupted. Then the round goes on.
std::optional<std::uint32_t> TurnKeeper::pick() {
  if (ready_ == 0) return std::nullopt;
  if (!returning_.empty()) return returning_.begin()->position;
  for (;;) {
    Place const first = *line_.begin();
    if (first.round == 0) return first.position;
    TurnAccount& account = accounts_[first.position];
    step_out(first.position);
    account.length = length_of(first.position);
    // A domain that is alone need not be out of debt.
    const std::uint64_t last = ready_ == 1 ? next_visit(account) : first.round;
    account.visit(last - account.round, last, grain_);
    if (!account.open && ready_ == 1) account.indulge(grain_);
    round_ = last;
    passed_ = account.order;
    line_up(first.position);
  }
}

Nanos TurnKeeper::debt(DomainId id) const {
  TurnAccount const* const found = find(accounts_, id);
  if (found == nullptr) return Nanos{0};
  TurnAccount account = *found;
  account.forgive(idle_);
  const std::uint64_t last = passed_in(account);
  if (!account.ready && last > account.round) account.pass(last - account.round, last, grain_);
  return std::max(-account.balance, Nanos{0});
}

Decision TurnKeeper::answer(Reason reason) const {
  if (!running_) return {{}, now_ + idle_review, now_ + idle_review, {}, Reason::idle};
  TurnAccount const& account = accounts_[*running_];
  Decision decision;
  decision.run = {account.id};
  decision.until = now_ + account.usable();
  decision.ask_again = decision.until;
  decision.reason = reason;
  if (!returning_.empty() && ran_ < grain_)
    decision.ask_again = std::min(decision.until, now_ + (grain_ - ran_));
  return decision;
}

} // namespace pegasus::policies
