// SPDX-License-Identifier: Apache-2.0
#include "policies/credit_pool.h"

#include <algorithm>
#include <limits>

namespace pegasus::policies {

CreditPool::CreditPool(Nanos tick, Choice choice)
    : tick_(std::clamp(tick, TurnKeeper::shortest_tick, TurnKeeper::longest_tick)), choice_(choice),
      grain_(tick_ / grains_per_tick) {}

Decision CreditPool::decide(View const& view) {
  const Nanos had = had_device(view, now_);
  const Nanos elapsed = std::clamp(view.now - now_, Nanos{0}, tick_ * deepest_debt_ticks);
  now_ = view.now;
  const bool was_running = running_.has_value();
  admit(view);
  charge(had, elapsed);
  refill();

  Reason reason = Reason::unchanged;
  CreditAccount* const next = best();
  if (const auto stop = stop_reason(next)) {
    reason = was_running && running() == nullptr ? Reason::departure : *stop;
    running_.reset();
    if (next != nullptr) start(*next);
  }
  const auto count = ready();
  for (CreditAccount& account : accounts_)
    account.contended = count > (account.ready ? 1 : 0);
  return answer(reason);
}

void CreditPool::start(CreditAccount& account) {
  running_ = account.id;
  ran_ = Nanos{0};
  slice_ = account.balance >= grain_ ? std::min(account.balance, tick_) : tick_;
  account.yielded = false;
}

void CreditPool::admit(View const& view) {
  std::vector<CreditAccount> next;
  next.reserve(view.domains.size());
  for (DomainView const& domain : view.domains) {
    const auto known = std::ranges::lower_bound(accounts_, domain.id, {}, &CreditAccount::id);
    CreditAccount& account = next.emplace_back();
    if (known != accounts_.end() && known->id == domain.id)
      account = *known;
    else {
      account.seen_total = total_of(domain);
      account.balance = -std::clamp(domain.debt, Nanos{0}, tick_ * deepest_debt_ticks);
    }
    account.id = domain.id;
    account.domain = &domain;
  }
  accounts_ = std::move(next);
  for (TurnKeeper::Turn const& turn : credit_turns(view, tick_, accelerator_credits))
    std::ranges::lower_bound(accounts_, turn.domain->id, {}, &CreditAccount::id)->turn =
        std::max(turn.length, Nanos{1});
  if (running() == nullptr) running_.reset();
}

void CreditPool::charge(Nanos had, Nanos elapsed) {
  const Nanos deepest = tick_ * deepest_debt_ticks;
  Nanos by_running{0};
  for (CreditAccount& account : accounts_) {
    const Nanos used = std::clamp(total_of(*account.domain) - account.seen_total, Nanos{0}, deepest);
    account.seen_total = total_of(*account.domain);
    account.charge(used, deepest);
    if (account.id == running_) by_running = used;
    account.waited = account.id == running_ || !account.ready ? Nanos{0} : account.waited + elapsed;
    account.ready = account.domain->calls_waiting > 0;
  }
  if (CreditAccount* const account = running()) {
    account->charge(std::max(had / 2 - by_running, Nanos{0}), deepest);
    ran_ += had;
  } else {
    for (CreditAccount& debtor : accounts_)
      debtor.forgive(had);
  }
}

Nanos CreditPool::debt(DomainId id) const {
  const auto found = std::ranges::lower_bound(accounts_, id, {}, &CreditAccount::id);
  return found == accounts_.end() || found->id != id ? Nanos{0} : std::max(-found->balance, Nanos{0});
}

// As many rounds at once as it takes until somebody with calls has a grain's credit.
void CreditPool::refill() {
  std::int64_t rounds = std::numeric_limits<std::int64_t>::max();
  for (CreditAccount const& account : accounts_)
    if (account.ready)
      rounds = std::min<std::int64_t>(rounds, account.balance >= grain_
                                                  ? 0
                                                  : (grain_ - account.balance + account.turn - Nanos{1}) /
                                                        account.turn);
  if (rounds == 0 || rounds == std::numeric_limits<std::int64_t>::max()) return;
  // Not overflowing: a debt is 1000 ticks at most and a turn at least a tick / 65535.
  for (CreditAccount& account : accounts_) {
    const Nanos raised = account.balance + rounds * account.turn;
    account.balance = account.ready ? raised : std::max(account.balance, std::min(raised, account.turn));
  }
}

std::ptrdiff_t CreditPool::ready() const { return std::ranges::count_if(accounts_, &CreditAccount::ready); }

CreditAccount* CreditPool::best() {
  CreditAccount* best = nullptr;
  for (CreditAccount& account : accounts_)
    if (account.ready && (best == nullptr || choice_.before(account, *best, tick_))) best = &account;
  return best;
}

CreditAccount* CreditPool::running() {
  if (!running_) return nullptr;
  const auto found = std::ranges::lower_bound(accounts_, *running_, {}, &CreditAccount::id);
  return found != accounts_.end() && found->id == *running_ ? &*found : nullptr;
}

// Why the slice is over or interrupted; nothing if it goes on.
std::optional<Reason> CreditPool::stop_reason(CreditAccount const* next) {
  CreditAccount* const account = running();
  if (account == nullptr) return Reason::arrival;
  if (!account->ready) {
    account->yielded = true;
    return Reason::yield;
  }
  if (ran_ >= slice_) return Reason::slice_end;
  if (next == account || ran_ < grain_) return std::nullopt;
  const bool interrupted = next->returns() || choice_.interrupts(*next, *account);
  account->yielded = interrupted; // it may go on, too
  return interrupted ? std::optional(Reason::arrival) : std::nullopt;
}

Decision CreditPool::answer(Reason reason) {
  CreditAccount const* const next = best();
  if (!running_) return {{}, now_ + idle_review, now_ + idle_review, {}, Reason::idle};
  Decision decision;
  decision.run = {*running_};
  decision.until = now_ + (slice_ - ran_);
  decision.ask_again = decision.until;
  const bool awaited = choice_.watches_schedule ? ready() > 1 : next->id != running_ && next->returns();
  if (awaited) decision.ask_again = std::min(decision.until, now_ + std::max(grain_ - ran_, grain_ / 2));
  decision.reason = reason;
  return decision;
}

} // namespace pegasus::policies
