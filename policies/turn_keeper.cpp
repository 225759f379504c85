// SPDX-License-Identifier: Apache-2.0
#include "policies/turn_keeper.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace pegasus::policies {

TurnKeeper::TurnKeeper(Nanos tick)
    : tick_(std::clamp(tick, shortest_tick, longest_tick)), grain_(tick_ / grains_per_tick),
      deepest_(tick_ * deepest_debt_ticks) {}

bool TurnKeeper::is_new(DomainId id) const {
  const auto found = std::ranges::find(accounts_, id, &TurnAccount::id);
  return found == accounts_.end() || found->fresh;
}

Decision TurnKeeper::decide(View const& view, std::span<Turn const> queue) {
  const Nanos elapsed = had_device(view, now_);
  now_ = view.now;
  const bool was_running = running_.has_value();
  admit(queue);
  charge(queue, elapsed);

  Reason reason = Reason::unchanged;
  if (was_running && !running_) reason = Reason::departure;
  if (const auto stop = stop_reason()) {
    if (reason != Reason::departure) reason = *stop;
    TurnAccount* const next = pick();
    // Out of courtesy and in debt before, now in a turn of its own: nothing changed for it.
    if (next != nullptr && running_ == next->id && reason == Reason::arrival) reason = Reason::unchanged;
    running_.reset();
    ran_ = Nanos{0};
    if (next != nullptr) {
      running_ = next->id;
      next->fresh = false;
      next->yielded = false;
    }
  }

  const auto ready = std::ranges::count_if(accounts_, &TurnAccount::ready);
  for (TurnAccount& account : accounts_)
    account.contended = ready > (account.ready ? 1 : 0);
  return answer(reason);
}

// Brings the accounts into the order of the queue, with what the View says of each domain.
void TurnKeeper::admit(std::span<Turn const> queue) {
  std::vector<TurnAccount> next;
  next.reserve(queue.size());
  for (std::size_t i = 0; i < queue.size(); ++i) {
    DomainView const& domain = *queue[i].domain;
    std::size_t at = i; // the order seldom changes
    if (at >= accounts_.size() || accounts_[at].id != domain.id)
      at = static_cast<std::size_t>(std::ranges::find(accounts_, domain.id, &TurnAccount::id) -
                                    accounts_.begin());
    TurnAccount& account = next.emplace_back(at < accounts_.size() ? accounts_[at] : enter(domain));
    account.length = std::max(queue[i].length, Nanos{1});
    account.ready = domain.calls_waiting > 0;
    account.fresh = account.fresh || domain.tasks == 0;
  }
  accounts_ = std::move(next);
  if (running() == nullptr) running_.reset();
}

TurnAccount TurnKeeper::enter(DomainView const& domain) const {
  TurnAccount account;
  account.id = domain.id;
  account.seen_total = total_of(domain);
  account.round = round_; // its first turn is in the next round: leaving and coming back gains nothing
  account.balance = -std::clamp(domain.debt, Nanos{0}, deepest_);
  return account;
}

Nanos TurnKeeper::debt(DomainId id) const {
  const auto found = std::ranges::find(accounts_, id, &TurnAccount::id);
  return found == accounts_.end() ? Nanos{0} : std::max(-found->balance, Nanos{0});
}

void TurnKeeper::charge(std::span<Turn const> queue, Nanos elapsed) {
  for (std::size_t i = 0; i < queue.size(); ++i) {
    accounts_[i].charge(total_of(*queue[i].domain), deepest_);
    if (accounts_[i].id != running_ && accounts_[i].open)
      accounts_[i].pause(grain_); // its last kernel may have used up the rest of its turn
  }
  if (TurnAccount* const account = running()) {
    account->gate_left -= elapsed;
    ran_ += elapsed;
  } else {
    for (TurnAccount& debtor : accounts_)
      debtor.forgive(elapsed);
  }
}

// Why the running turn is over or interrupted; nothing if it goes on.
std::optional<Reason> TurnKeeper::stop_reason() {
  TurnAccount* const account = running();
  if (account == nullptr) return Reason::arrival;
  if (!account->ready) {
    account->yielded = true;
    account->pause(grain_);
    return Reason::yield;
  }
  if (account->usable() <= Nanos{0}) {
    account->open = false;
    return Reason::slice_end;
  }
  if (account->courtesy) {
    const auto ready = std::ranges::count_if(accounts_, &TurnAccount::ready);
    if (ready == 1) return std::nullopt;
    account->open = false;
    return Reason::arrival;
  }
  if (ran_ < grain_ || returning() == nullptr) return std::nullopt;
  account->pause(grain_);
  return Reason::arrival;
}

// Rests of turns first, of those that come back and then of those that were interrupted; then the round goes
// on.
TurnAccount* TurnKeeper::pick() {
  const auto ready = std::ranges::count_if(accounts_, &TurnAccount::ready);
  if (ready == 0) return nullptr;
  if (TurnAccount* const account = returning()) return account;
  for (TurnAccount& account : accounts_)
    if (account.ready && account.open) return &account;
  for (;;) {
    for (TurnAccount& account : accounts_) {
      if (account.round == round_) continue;
      account.round = round_;
      account.visit(grain_);
      if (!account.ready) continue;
      if (!account.open && ready == 1) account.indulge(grain_);
      if (account.open) return &account;
    }
    ++round_;
    if (ready > 1) skip_rounds(); // alone, it need not be out of debt
  }
}

// Everyone with work may be in debt. The rounds in which nobody could run take no time: all but the last one
// at once.
void TurnKeeper::skip_rounds() {
  std::int64_t rounds = std::numeric_limits<std::int64_t>::max();
  for (TurnAccount const& account : accounts_)
    if (account.ready)
      rounds = std::min<std::int64_t>(rounds, (grain_ - Nanos{1} - account.balance) / account.length);
  if (rounds <= 0) return;
  // Not overflowing: a debt is 1000 ticks at most and a turn at least a tick / 65535, so rounds * length fits
  // by far.
  for (TurnAccount& account : accounts_) {
    const Nanos raised = account.balance + rounds * account.length;
    if (account.ready)
      account.balance = raised;
    else
      account.balance = std::max(account.balance, std::min(raised, account.carry_limit(grain_)));
  }
}

TurnAccount* TurnKeeper::running() {
  if (!running_) return nullptr;
  const auto found = std::ranges::find(accounts_, *running_, &TurnAccount::id);
  return found == accounts_.end() ? nullptr : &*found;
}

TurnAccount* TurnKeeper::returning() {
  const auto found = std::ranges::find_if(
      accounts_, [](TurnAccount const& account) { return account.ready && account.open && account.yielded; });
  return found == accounts_.end() ? nullptr : &*found;
}

Decision TurnKeeper::answer(Reason reason) {
  TurnAccount* const account = running();
  if (account == nullptr) return {{}, now_ + idle_review, now_ + idle_review, {}, Reason::idle};
  Decision decision;
  decision.run = {account->id};
  decision.until = now_ + account->usable();
  decision.ask_again = decision.until;
  decision.reason = reason;
  if (returning() != nullptr && ran_ < grain_)
    decision.ask_again = std::min(decision.until, now_ + (grain_ - ran_));
  return decision;
}

} // namespace pegasus::policies
