// SPDX-License-Identifier: Apache-2.0
#include "policies/credit_pool.h"

#include "policies/turn_limits.h"

#include <algorithm>
#include <limits>

namespace pegasus::policies {

CreditPool::CreditPool(Nanos tick, Choice choice)
    : tick_(std::clamp(tick, TurnKeeper::shortest_tick, TurnKeeper::longest_tick)), choice_(choice),
      grain_(tick_ / grains_per_tick) {}

Decision CreditPool::decide(View const& view) {
  const Nanos elapsed = started_ ? std::max(view.now - now_, Nanos{0}) : Nanos{0};
  now_ = view.now;
  started_ = true;
  const bool was_running = running_.has_value();
  admit(view);
  charge(elapsed);
  refill();

  Reason reason = Reason::unchanged;
  CreditAccount* next = returning();
  if (next == nullptr) next = best();
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
    else
      account.seen_total = total_of(domain);
    account.id = domain.id;
    account.domain = &domain;
  }
  accounts_ = std::move(next);
  for (TurnKeeper::Turn const& turn : credit_turns(view, tick_, accelerator_credits))
    std::ranges::lower_bound(accounts_, turn.domain->id, {}, &CreditAccount::id)->turn =
        std::max(turn.length, Nanos{1});
  if (running() == nullptr) running_.reset();
}

void CreditPool::charge(Nanos elapsed) {
  const Nanos deepest = tick_ * deepest_debt_ticks;
  elapsed = std::min(elapsed, deepest);
  Nanos by_running{0};
  Nanos by_others{0}; // what the device did for them, the running domain did not deny to them
  for (CreditAccount& account : accounts_) {
    const Nanos used = std::clamp(total_of(*account.domain) - account.seen_total, Nanos{0}, deepest);
    account.seen_total = total_of(*account.domain);
    account.charge(used, deepest);
    if (account.id == running_)
      by_running = used;
    else
      by_others = std::min(by_others + used, elapsed);
    account.waited = account.id == running_ || !account.ready ? Nanos{0} : account.waited + elapsed;
    account.ready = account.domain->calls_waiting > 0;
  }
  if (CreditAccount* const account = running()) {
    const Nanos open = elapsed - by_others;
    account->charge(std::max(open / 2 - by_running, Nanos{0}), deepest);
    ran_ += open;
  }
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

// Who left its slice and goes on with it.
CreditAccount* CreditPool::returning() {
  CreditAccount const* const account = running();
  for (CreditAccount& candidate : accounts_)
    if (candidate.ready && candidate.yielded && candidate.has_credit() &&
        (account == nullptr || !choice_.interrupts(*account, candidate)))
      return &candidate;
  return nullptr;
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
  const bool interrupted = next->yielded || choice_.interrupts(*next, *account);
  account->yielded = interrupted; // it may go on, too
  return interrupted ? std::optional(Reason::arrival) : std::nullopt;
}

Decision CreditPool::answer(Reason reason) {
  if (!running_) return {{}, now_ + idle_review, now_ + idle_review, {}, Reason::idle};
  Decision decision;
  decision.run = {*running_};
  decision.until = now_ + (slice_ - ran_);
  decision.ask_again = decision.until;
  const bool awaited = choice_.watches_schedule ? ready() > 1 : returning() != nullptr;
  if (awaited) decision.ask_again = std::min(decision.until, now_ + std::max(grain_ - ran_, grain_ / 2));
  decision.reason = reason;
  return decision;
}

} // namespace pegasus::policies
