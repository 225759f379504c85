// SPDX-License-Identifier: Apache-2.0
#include "policies/eevdf.h"

#include "policies/accounts.h"
#include "policies/weights.h"

#include <algorithm>

namespace pegasus::policies {

namespace {

// Virtual times restart before they overflow: with a weight of 1 they pass 256 times as fast as time.
constexpr Nanos max_virtual_time{std::int64_t{1} << 61};

std::int64_t weight_of(DomainView const& domain) {
  return std::clamp(domain.credits, min_credits, max_credits);
}

} // namespace

EarliestDeadline::EarliestDeadline(Tunables const& tunables)
    : slice_(tunables.slice > Nanos{0} ? tunables.slice : tunables.bounded_tick() * 6 / 10),
      longest_wait_(tunables.longest_wait),
      min_granularity_(tunables.bounded_tick() / granularities_per_tick),
      max_debt_(tunables.bounded_tick() * max_debt_ticks), anticipation_(tunables),
      looks_ahead_(tunables.look_ahead > 0) {}

Decision EarliestDeadline::decide(View const& view) {
  auto const before = running_ ? std::optional(accounts_[*running_].id) : std::nullopt;
  Nanos const had = had_device(view, now_);
  now_ = view.now;
  anticipation_.update(view);
  if (looks_ahead_) look_ahead_.update(view);
  update(view, had);

  Reason reason = Reason::unchanged;
  if (auto const stop = stop_reason(best())) {
    reason = before && !running_ ? Reason::departure : *stop;
    switch_to_next(*stop);
  }
  return answer(reason);
}

// Charges the use first, with the calls as they were, and then takes over the current calls.
void EarliestDeadline::update(View const& view, Nanos had) {
  slice_ = std::max(slice_, anticipation_.least_slice(min_granularity_));
  if (!view.changed) look_at_all(view);
  if (running_) {
    Nanos const used = total_of(view.domains[*running_]) - accounts_[*running_].seen_total;
    charge(*running_, anticipation_.idle_cost(std::min(had, max_debt_), used));
    ran_ += had;
  }
  for_changed(view, [&](std::uint32_t position) {
    Account& account = accounts_[position];
    Nanos const total = total_of(view.domains[position]);
    Nanos const used = std::clamp(total - account.seen_total, Nanos{0}, max_debt_);
    charge(position, used);
    account.seen_total = total;
  });
  advance_clock(had);
  for_changed(view, [&](std::uint32_t position) { wake(position, view.domains[position]); });
}

void EarliestDeadline::look_at_all(View const& view) {
  follow(view, accounts_, running_, [this](DomainView const& domain) { return enter(domain); });
  later_.clear();
  interrupting_.clear();
  eligible_.clear();
  in_debt_.clear();
  average_ = {};
  for (std::uint32_t position = 0; position < accounts_.size(); ++position) {
    accounts_[position].line = Line::none;
    line_up(position);
  }
}

EarliestDeadline::Account EarliestDeadline::enter(DomainView const& domain) const {
  std::int64_t const weight = weight_of(domain);
  Nanos const runtime = clock_ + weighted(std::clamp(domain.debt, Nanos{0}, max_debt_), weight);
  return {.id = domain.id,
          .weight = weight,
          .slice = slice_of(domain),
          .runtime = runtime,
          .deadline = runtime,
          .seen_total = total_of(domain),
          .ready = domain.calls_waiting > 0};
}

Nanos EarliestDeadline::slice_of(DomainView const& domain) const {
  if (domain.latency_slice <= Nanos{0}) return slice_;
  return std::clamp(domain.latency_slice, anticipation_.least_slice(min_granularity_), max_latency_slice);
}

// See rule 5.
Nanos EarliestDeadline::max_lag(Account const& account) const {
  return weighted(std::min(account.slice, slice_), account.weight);
}

void EarliestDeadline::charge(std::uint32_t position, Nanos used) {
  if (used == Nanos{0}) return;
  step_out(position);
  accounts_[position].runtime += weighted(used, accounts_[position].weight);
  line_up(position);
}

// Rule 7, for the time since the last View: the lines and running_ still have their state of then.
void EarliestDeadline::advance_clock(Nanos had) {
  if (contenders() == 0) {
    clock_ += had;
  } else if (contenders() == 1) {
    if (!running_ || accounts_[*running_].line == Line::none) return;
    Account& alone = accounts_[*running_];
    clock_ += weighted(had, alone.weight);
    step_out(*running_);
    alone.runtime = std::max(alone.runtime, clock_ - max_lag(alone));
    line_up(*running_);
  } else if (average_.weight() > 0) {
    clock_ = std::max(clock_, average_.value());
  } else { // the domains to which the time is owed have left
    clock_ = std::max(clock_, in_debt_.begin()->when);
  }
  if (clock_ >= max_virtual_time) begin_anew(); // once in years
}

void EarliestDeadline::begin_anew() {
  for (std::uint32_t position = 0; position < accounts_.size(); ++position)
    step_out(position);
  for (Account& account : accounts_) {
    account.runtime -= clock_;
    account.deadline -= clock_;
  }
  clock_ = Nanos{0};
  for (std::uint32_t position = 0; position < accounts_.size(); ++position)
    line_up(position);
}

void EarliestDeadline::wake(std::uint32_t position, DomainView const& domain) {
  Account& account = accounts_[position];
  step_out(position);
  account.slice = slice_of(domain);
  if (weight_of(domain) != account.weight) reweigh(account, weight_of(domain));
  bool const ready = domain.calls_waiting > 0;
  if (ready && !account.ready && !account.held) {
    account.woke = position != running_;
    Nanos const lag = account.barred ? weighted(max_debt_, account.weight) : max_lag(account);
    account.runtime = std::max(account.runtime, clock_ - lag);
  }
  account.ready = ready;
  account.barred = domain.barred && !domain.capped;
  account.held = running_ == position && anticipation_.held(position);
  line_up(position);
}

// The device time by which the domain is ahead or behind stays the same.
void EarliestDeadline::reweigh(Account& account, std::int64_t weight) const {
  account.runtime =
      clock_ + at_weight(account.runtime - clock_, account.weight, weight, account.slice, max_debt_);
  account.deadline = account.runtime;
  account.weight = weight;
}

Nanos EarliestDeadline::debt(DomainId id) const {
  Account const* const found = find(accounts_, id);
  if (found == nullptr) return Nanos{0};
  return std::max(found->runtime - clock_, Nanos{0}) * found->weight / std::int64_t{default_credits};
}

// Rule 3. V is never below the least v, so one of the domains that count in V is eligible. V may also fall: a
// domain that has become eligible may stop being eligible.
std::optional<std::uint32_t> EarliestDeadline::best() {
  while (!in_debt_.empty() && in_debt_.begin()->when <= clock_) {
    std::uint32_t const solvent = in_debt_.begin()->position;
    step_out(solvent);
    line_up(solvent);
  }
  while (!later_.empty() && later_.begin()->when <= average_.value())
    move(later_.begin()->position, Line::eligible);
  while (!eligible_.empty()) {
    std::uint32_t const first = eligible_.begin()->position;
    if (accounts_[first].runtime <= average_.value()) return first;
    move(first, Line::later);
  }
  return in_debt_.empty() ? std::nullopt : std::optional(in_debt_.begin()->position);
}

// A domain that is held may run on if it is still the best.
void EarliestDeadline::switch_to_next(Reason reason) {
  auto const before = running_;
  if (before && (reason == Reason::slice_end || reason == Reason::yield)) {
    step_out(*before);
    Account& account = accounts_[*before];
    if (reason == Reason::slice_end) account.deadline = account.runtime; // it makes its next request
    if (reason == Reason::yield) account.held = false;
    line_up(*before);
  }
  running_ = best();
  if (before && before != running_ && accounts_[*before].held) {
    step_out(*before);
    accounts_[*before].held = false;
  }
  ran_ = Nanos{0};
  if (running_) start(*running_, running_ != before, before && reason == Reason::arrival);
}

// The time slice is the rest of the request.
void EarliestDeadline::start(std::uint32_t position, bool changes_owner, bool interrupts) {
  charge(position, anticipation_.begin_slice(changes_owner, interrupts));
  Account& account = accounts_[position];
  account.woke = false;
  Nanos const least = anticipation_.least_slice(min_granularity_);
  Nanos const longest = shortened(account.slice, contenders(), longest_wait_, least);
  step_out(position);
  account.deadline = std::min(account.deadline, account.runtime + weighted(longest, account.weight));
  line_up(position);
  std::int64_t const left = (account.deadline - account.runtime).count() * account.weight;
  Nanos const lasts{(left + default_credits - 1) / std::int64_t{default_credits}};
  run_for_ = std::clamp(lasts, std::min(least, account.slice), account.slice);
}

// Returns why the time slice is over or interrupted, nullopt if it goes on.
std::optional<Reason> EarliestDeadline::stop_reason(std::optional<std::uint32_t> next) const {
  if (!running_) return Reason::arrival;
  Account const& account = accounts_[*running_];
  if (!account.ready && !anticipation_.held(*running_)) return Reason::yield;
  if (ran_ >= run_for_) return Reason::slice_end;
  if (next && may_interrupt(*next) && least_before(*next) == Nanos{0}) return Reason::arrival;
  return std::nullopt;
}

// See rule 4; `position` must be eligible.
bool EarliestDeadline::may_interrupt(std::uint32_t position) const {
  Account const& account = accounts_[position];
  Account const& other = accounts_[*running_];
  return position != *running_ && account.deadline < other.deadline &&
         (account.woke || account.slice < other.slice);
}

// In how long that domain may interrupt, if it is to.
Nanos EarliestDeadline::least_before(std::uint32_t position) const {
  return anticipation_.may_interrupt_in(position, ran_, anticipation_.least_slice(min_granularity_));
}

// When to check whether the running domain is interrupted: by `next`, which is eligible, or by a domain that
// becomes eligible when enough device time has been used to bring V to its v.
std::optional<Nanos> EarliestDeadline::interrupted_in(std::uint32_t next) const {
  if (may_interrupt(next)) return std::max(least_before(next), shortest_review);
  auto const first = [this](std::set<Place> const& line) {
    return line.empty() || !may_interrupt(line.begin()->position) ? Nanos::max() : line.begin()->when;
  };
  Nanos const eligible_at = std::min(first(later_), first(interrupting_));
  if (eligible_at == Nanos::max()) return std::nullopt;
  Nanos const lacking = eligible_at - average_.value();
  if (lacking > weighted(run_for_ - ran_, average_.weight())) return std::nullopt;
  Nanos const least = anticipation_.least_slice(min_granularity_);
  return std::max({lacking * average_.weight() / std::int64_t{default_credits}, least - ran_, least / 2});
}

Decision EarliestDeadline::answer(Reason reason) {
  if (!running_) return {{}, now_ + idle_review, now_ + idle_review, {}, Reason::idle};
  Account const& account = accounts_[*running_];
  Decision decision;
  decision.run = {account.id};
  decision.until = decision.ask_again = now_ + (run_for_ - ran_);
  auto const next = best(); // none if it alone is held
  if (auto const time = next ? interrupted_in(*next) : std::nullopt)
    decision.ask_again = std::min(decision.until, now_ + *time);
  if (!account.ready) decision.ask_again = std::min(decision.ask_again, anticipation_.next_sample(*running_));
  decision.reason = reason;
  if (looks_ahead_) decision.pieces = look_ahead_.limit(*running_);
  return decision;
}

} // namespace pegasus::policies
