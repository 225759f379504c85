// SPDX-License-Identifier: Apache-2.0
#include "policies/credit_pool.h"

#include "policies/accounts.h"

#include <algorithm>
#include <utility>

namespace pegasus::policies {

CreditPool::CreditPool(Tunables const& tunables, Choice const& choice)
    : tick_(tunables.bounded_tick()), choice_(choice), longest_wait_(tunables.longest_wait),
      min_granularity_(tick_ / granularities_per_tick), max_debt_(tick_ * max_debt_ticks),
      anticipation_(tunables), slices_(tick_, accelerator_credits) {}

Decision CreditPool::decide(View const& view) {
  view_ = &view;
  Nanos const had = had_device(view, now_);
  now_ = view.now;
  bool const was_running = running_.has_value();
  if (!running_) idle_ += had;
  anticipation_.update(view);
  slices_.update(view);
  update(view, had);
  refill();

  Reason reason = was_running && !running_ ? Reason::departure : Reason::unchanged;
  auto const before = running_;
  auto const next = best();
  if (auto const stop = stop_reason(next.value_or(0))) {
    if (reason != Reason::departure) reason = *stop;
    if (next) start(*next, next != before, before && *stop == Reason::arrival);
  }
  return answer(reason);
}

void CreditPool::update(View const& view, Nanos had) {
  if (!view.changed) look_at_all(view);
  if (running_) {
    CreditAccount& account = accounts_[*running_];
    Nanos const used = std::max(total_of(view.domains[*running_]) - account.seen_total, Nanos{0});
    step_out(*running_);
    charge(account, anticipation_.idle_cost(std::min(had, max_debt_), used));
    line_up(*running_);
    ran_ += had;
  }
  for_changed(view, [this](std::uint32_t position) { look_at(position); });
  contenders_ = static_cast<std::uint32_t>(by_credit_.size());
}

void CreditPool::look_at_all(View const& view) {
  follow(view, accounts_, running_, [this](DomainView const& domain) { return enter(domain); });
  by_credit_.clear();
  by_wait_.clear();
  on_cpu_.clear();
  for (std::uint32_t position = 0; position < accounts_.size(); ++position)
    line_up(position);
}

CreditAccount CreditPool::enter(DomainView const& domain) const {
  return {.id = domain.id,
          .balance = -std::clamp(domain.debt, Nanos{0}, max_debt_),
          .seen_total = total_of(domain),
          .seen_idle = idle_,
          .refills = refills_};
}

void CreditPool::look_at(std::uint32_t position) {
  CreditAccount& account = accounts_[position];
  DomainView const& domain = view_->domains[position];
  step_out(position);
  Nanos const total = total_of(domain);
  Nanos const used = std::clamp(total - account.seen_total, Nanos{0}, max_debt_);
  charge(account, used);
  account.seen_total = total;
  catch_up(account, slices_.slice(domain));
  account.on_cpu = domain.cpu.running;
  account.boost = account.on_cpu ? std::max(choice_.boost(domain, tick_), Nanos{0}) : Nanos{0};
  bool const ready = domain.calls_waiting > 0;
  if (ready && !account.ready) account.waits_since = now_;
  account.ready = ready;
  line_up(position);
}

// Applies what happened to the balance since the last sample: the refills of the others while the domain had
// no calls, and time in which no domain wanted the device.
void CreditPool::catch_up(CreditAccount& account, Nanos slice) const {
  std::uint64_t const missed = refills_ - account.refills;
  account.refills = refills_;
  if (!account.ready && missed > 0 && account.balance < slice) {
    auto const to_full = static_cast<std::uint64_t>((slice - account.balance) / slice);
    account.balance = missed > to_full ? slice : account.balance + static_cast<std::int64_t>(missed) * slice;
  }
  account.balance =
      std::max(account.balance, std::min(account.balance + (idle_ - account.seen_idle), Nanos{0}));
  account.seen_idle = idle_;
}

// Use while no other domain wanted the device makes no debt.
void CreditPool::charge(CreditAccount& account, Nanos used) const {
  bool const contended = contenders_ > (account.wants ? 1 : 0);
  Nanos const floor = contended ? -max_debt_ : Nanos{0};
  account.balance = std::max(account.balance - used, std::min(account.balance, floor));
}

void CreditPool::line_up(std::uint32_t position) {
  CreditAccount& account = accounts_[position];
  account.wants = account.ready || (running_ == position && anticipation_.held(position));
  insert(position);
}

void CreditPool::insert(std::uint32_t position) {
  CreditAccount const& account = accounts_[position];
  if (!account.wants) return;
  by_credit_.insert({account.balance, position});
  if (choice_.patience > Nanos{0} && account.has_credit() && running_ != position)
    by_wait_.insert({account.waits_since, position});
  if (account.on_cpu) on_cpu_.insert(position);
}

void CreditPool::step_out(std::uint32_t position) {
  CreditAccount const& account = accounts_[position];
  by_credit_.erase({account.balance, position});
  if (choice_.patience > Nanos{0}) by_wait_.erase({account.waits_since, position});
  on_cpu_.erase(position);
}

// Adds as many rounds at once as it takes until one domain with calls has the credit for
// a minimum granularity.
void CreditPool::refill() {
  if (by_credit_.empty() || by_credit_.begin()->balance >= min_granularity_) return;
  std::vector<std::pair<std::uint32_t, Nanos>> all; // domains with calls, and their time slices
  all.reserve(by_credit_.size());
  std::uint64_t rounds = UINT64_MAX;
  for (auto const& [balance, position] : by_credit_) {
    Nanos const slice = std::max(slices_.slice(view_->domains[position]), Nanos{1});
    all.emplace_back(position, slice);
    rounds =
        std::min(rounds, static_cast<std::uint64_t>((min_granularity_ - balance + slice - Nanos{1}) / slice));
  }
  refills_ += rounds;
  // This does not overflow: a debt is at most 1000 ticks and a time slice at least a tick / 65535.
  for (auto const& [position, slice] : all) {
    step_out(position);
    accounts_[position].balance += static_cast<std::int64_t>(rounds) * slice;
    accounts_[position].refills = refills_;
    line_up(position);
  }
}

bool CreditPool::before(CreditAccount const& first, CreditAccount const& second) {
  return first.balance + first.boost > second.balance + second.boost;
}

// The best of the domains that have calls; among equals, the one with the lowest id.
std::optional<std::uint32_t> CreditPool::best() const {
  if (by_credit_.empty()) return std::nullopt;
  if (!by_wait_.empty() && now_ - by_wait_.begin()->since >= choice_.patience)
    return by_wait_.begin()->position;
  std::uint32_t best = by_credit_.begin()->position;
  for (std::uint32_t const position : on_cpu_) {
    CreditAccount const& one = accounts_[position];
    if (before(one, accounts_[best]) || (position < best && !before(accounts_[best], one))) best = position;
  }
  return best;
}

// Returns why the slice is over or interrupted, nullopt if it goes on.
std::optional<Reason> CreditPool::stop_reason(std::uint32_t next) {
  if (!running_) return Reason::arrival;
  CreditAccount& account = accounts_[*running_];
  Reason reason = Reason::slice_end;
  if (!account.wants) {
    account.yielded = true;
    reason = Reason::yield;
  } else if (ran_ < slice_) {
    if (next == running_ || interrupted_in(next) > Nanos{0}) return std::nullopt;
    CreditAccount const& other = accounts_[next];
    account.yielded = other.returns() || (choice_.interrupts && other.on_cpu && !account.on_cpu);
    if (!account.yielded) return std::nullopt; // else it may resume later, too
    reason = Reason::arrival;
  }
  step_out(*running_);
  account.waits_since = now_;
  std::uint32_t const stopped = *std::exchange(running_, std::nullopt);
  line_up(stopped);
  return reason;
}

// In how long that domain may interrupt the slice, if it is to.
Nanos CreditPool::interrupted_in(std::uint32_t next) const {
  return anticipation_.may_interrupt_in(next, ran_, least_slice());
}

// A fixed `hold` does not lengthen it.
Nanos CreditPool::least_slice() const {
  return anticipation_.automatic() ? anticipation_.least_slice(min_granularity_) : min_granularity_;
}

void CreditPool::start(std::uint32_t position, bool changes_owner, bool interrupts) {
  CreditAccount& account = accounts_[position];
  step_out(position);
  charge(account, anticipation_.begin_slice(changes_owner, interrupts));
  running_ = position;
  ran_ = Nanos{0};
  Nanos const least = least_slice();
  Nanos const longest = shortened(std::max(least, tick_), by_credit_.size(), longest_wait_, least);
  slice_ = account.balance >= min_granularity_ ? std::min(account.balance, longest) : longest;
  account.yielded = false;
  line_up(position);
}

Nanos CreditPool::debt(DomainId id) const {
  CreditAccount const* const found = find(accounts_, id);
  if (found == nullptr) return Nanos{0};
  CreditAccount account = *found;
  catch_up(account, tick_);
  return std::max(-account.balance, Nanos{0});
}

Decision CreditPool::answer(Reason reason) const {
  if (!running_) return {{}, now_ + idle_review, now_ + idle_review, {}, Reason::idle};
  CreditAccount const& account = accounts_[*running_];
  std::uint32_t const next = *best();
  Decision decision;
  decision.run = {account.id};
  decision.until = now_ + (slice_ - ran_);
  decision.ask_again = decision.until;
  if (!account.ready) decision.ask_again = std::min(decision.ask_again, anticipation_.next_sample(*running_));
  bool const awaited =
      choice_.interrupts ? by_credit_.size() > 1 : next != running_ && accounts_[next].returns();
  if (awaited)
    decision.ask_again =
        std::min(decision.ask_again, now_ + std::max(interrupted_in(next), min_granularity_ / 2));
  decision.reason = reason;
  return decision;
}

void CreditAccount::visit(StateVisitor& state) {
  state.field("id", id);
  state.field("balance", balance);
  state.duration("boost", boost);
  state.duration("seen_total", seen_total);
  state.duration("seen_idle", seen_idle);
  state.field("refills", refills);
  state.field("waits_since", waits_since);
  state.field("ready", ready);
  state.field("wants", wants);
  state.field("on_cpu", on_cpu);
  state.field("yielded", yielded);
}

void CreditPool::visit(StateVisitor& state) {
  state.field("anticipation", anticipation_);
  state.field("slices", slices_);
  state.time_or("now", now_, no_view);
  state.duration("idle", idle_);
  state.field("refills", refills_);
  state.accounts("accounts", accounts_);
  state.field("contenders", contenders_);
  state.position("running", running_, accounts_.size());
  state.field("ran", ran_);
  state.duration("slice", slice_);
  if (!state.restoring()) return;
  state.require(!running_ || accounts_[*running_].wants, "running");
  for (std::uint32_t position = 0; position < accounts_.size(); ++position)
    insert(position);
}

} // namespace pegasus::policies
