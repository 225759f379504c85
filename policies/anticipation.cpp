// SPDX-License-Identifier: Apache-2.0
#include "policies/anticipation.h"

#include "policies/accounts.h"
#include "policies/slice_limits.h"

#include <algorithm>
#include <optional>

namespace pegasus::policies {

namespace {

// Domains aim at this much of their part, so that what cannot be waited for, or is seen late, leaves 0.9.
constexpr double aim = 0.95;
constexpr int leasts_per_tick = 50;
constexpr int active_ticks = 2;
constexpr int max_lag_ticks = 100;
constexpr int changes_per_slice = 20;
// Where it pays to wait this long for a domain's next call, it costs as much to change the device's owner.
constexpr int holds_per_slice = 5;

} // namespace

Anticipation::Anticipation(Tunables const& tunables, Credits credits)
    : automatic_(tunables.hold == automatic_hold), hold_(tunables.hold), credits_(credits),
      least_(automatic_ ? tunables.bounded_tick() / leasts_per_tick : Nanos{0}),
      tolerated_lag_(tunables.bounded_tick() / granularities_per_tick),
      active_(tunables.bounded_tick() * active_ticks), max_lag_(tunables.bounded_tick() * max_lag_ticks),
      now_(no_view) {}

void Anticipation::update(View const& view) {
  if (now_ == no_view) {
    now_ = view.now;
    round_trip_ = 2 * std::clamp(view.switch_cost, Nanos{0}, max_tick);
  }
  if (weight_ > 0) entitlement_ += static_cast<double>((view.now - now_).count()) / weight_;
  now_ = view.now;
  if (!view.changed) follow_domains(view);
  while (!quiet_.empty() && now_ - quiet_.begin()->first > active_)
    leave(quiet_.begin()->second);
  for_changed(view, [&](std::uint32_t position) { take_use(accounts_[position], view.domains[position]); });
  for_changed(view, [&](std::uint32_t position) { look_at(position, view.domains[position]); });
}

void Anticipation::follow_domains(View const& view) {
  std::optional<std::uint32_t> none;
  follow(view, accounts_, none, [this](DomainView const& domain) {
    return Account{.id = domain.id,
                   .weight = weight_of(domain),
                   .gap = CallGap(now_, domain.sync_calls_total),
                   .seen_total = total_of(domain),
                   .learn_at = now_,
                   .seen = now_,
                   .seen_entitlement = entitlement_};
  });
  quiet_.clear();
  weight_ = 0;
  for (std::uint32_t position = 0; position < accounts_.size(); ++position)
    if (accounts_[position].active) join(position);
}

void Anticipation::take_use(Account& account, DomainView const& domain) {
  Nanos const total = total_of(domain);
  account.used_now = std::max(total - std::exchange(account.seen_total, total), Nanos{0});
  account.used += account.used_now;
  used_by_all_ += account.used_now;
}

void Anticipation::look_at(std::uint32_t position, DomainView const& domain) {
  Account& account = accounts_[position];
  Nanos const used = account.used_now;
  auto const gap = account.gap.sample(now_, domain, account.ready, used);
  progress(account, domain);
  if (gap && account.gap_progress.end(*gap, others(account))) account.learn_at = now_ + max_lag_;

  bool const ready = domain.calls_waiting > 0;
  if (account.active && account.ready && ready && account.weight == weight_of(domain)) return;
  bool const called = ready || account.ready || used > Nanos{0}; // perhaps it was not seen to
  bool const active = account.active || called;
  if (account.active) leave(position);
  if (called && !ready) { // a gap begins
    bool const learns = now_ >= account.learn_at && account.gap.mean() > Nanos{0};
    if (learns) account.learn_at = now_ + max_lag_;
    account.lags = account.lag > tolerated_lag_ || learns;
    account.quiet_since = now_;
    account.gap_progress.begin(account.gap.hold(limit(account), least_), others(account));
  }
  account.ready = ready;
  account.weight = weight_of(domain);
  if (active) join(position);
}

// Rule 1, for the time since the last look at the domain.
void Anticipation::progress(Account& account, DomainView const& domain) {
  Nanos const elapsed = std::max(now_ - std::exchange(account.seen, now_), Nanos{0});
  double const entitled = entitlement_ - std::exchange(account.seen_entitlement, entitlement_);
  if (!account.active) return;
  Nanos gap{0};
  if (!account.ready) {
    bool const calls = domain.calls_waiting > 0 && domain.calls_since;
    gap = calls ? std::clamp(*domain.calls_since - (now_ - elapsed), Nanos{0}, elapsed) : elapsed;
  }
  Nanos const made =
      account.gap_progress.count(gap, others(account)) + std::min(account.used_now, elapsed - gap);
  Nanos const part{static_cast<std::int64_t>(aim * account.weight * entitled)};
  account.lag = std::clamp(account.lag + part - made, -active_, max_lag_);
}

void Anticipation::leave(std::uint32_t position) {
  Account& account = accounts_[position];
  account.active = false;
  weight_ -= account.weight;
  if (!account.ready) quiet_.erase({account.quiet_since, position});
}

void Anticipation::join(std::uint32_t position) {
  Account& account = accounts_[position];
  account.active = true;
  weight_ += account.weight;
  if (!account.ready) quiet_.insert({account.quiet_since, position});
}

double Anticipation::weight_of(DomainView const& domain) const {
  return std::clamp(credits_(domain), min_credits, max_credits);
}

// The longest gap that is waited for.
Nanos Anticipation::limit(Account const& account) const {
  if (!automatic_) return hold_;
  return account.lags ? active_ : round_trip_;
}

bool Anticipation::held(std::uint32_t position) const {
  Account const& account = accounts_[position];
  return !account.ready && account.gap.held(now_, limit(account), least_);
}

Time Anticipation::next_sample(std::uint32_t position) const {
  Account const& account = accounts_[position];
  return account.gap.next_sample(now_, limit(account), least_);
}

Nanos Anticipation::least_slice(Nanos granularity) const {
  if (!automatic_) return std::max(granularity, holds_per_slice * hold_);
  return std::clamp(changes_per_slice * round_trip_ / 2, least_, max_latency_slice);
}

Nanos Anticipation::may_interrupt_in(std::uint32_t position, Nanos ran, Nanos least) const {
  if (automatic_ && ran == Nanos{0}) return Nanos{0}; // it has not begun: nothing is lost
  bool const returns = automatic_ && accounts_[position].gap.mean() > round_trip_;
  return std::max((returns ? least_ : least) - ran, Nanos{0});
}

Nanos Anticipation::begin_slice(bool changes_owner, bool interrupts) {
  had_ = used_ = Nanos{0};
  if (!automatic_ || !changes_owner) return Nanos{0};
  bool const paid = std::exchange(change_back_paid_, interrupts);
  return interrupts ? round_trip_ : paid ? Nanos{0} : round_trip_ / 2;
}

Nanos Anticipation::idle_cost(Nanos had, Nanos used) {
  used = std::max(used, Nanos{0});
  if (!automatic_) return std::max(had / 2 - used, Nanos{0});
  Nanos const before = std::max(had_, used_);
  had_ += had;
  used_ += used;
  return std::max(had_, used_) - before - used;
}

void Anticipation::Account::visit(StateVisitor& state) {
  state.field("id", id);
  state.field("weight", weight);
  state.field("gap", gap);
  state.duration("seen_total", seen_total);
  state.duration("used", used);
  state.duration("used_now", used_now);
  state.field("gap_progress", gap_progress);
  state.field("learn_at", learn_at);
  state.field("seen", seen);
  state.field("seen_entitlement", seen_entitlement);
  state.field("lag", lag);
  state.field("quiet_since", quiet_since);
  state.field("ready", ready);
  state.field("active", active);
  state.field("lags", lags);
  state.require(weight >= min_credits && weight <= max_credits, "weight");
}

void Anticipation::visit(StateVisitor& state) {
  state.duration("round_trip", round_trip_);
  state.time_or("now", now_, no_view);
  state.field("entitlement", entitlement_);
  state.duration("used_by_all", used_by_all_);
  state.accounts("accounts", accounts_);
  state.duration("had", had_);
  state.field("used", used_);
  state.field("change_back_paid", change_back_paid_);
  if (!state.restoring()) return;
  quiet_.clear();
  weight_ = 0;
  for (std::uint32_t position = 0; position < accounts_.size(); ++position) {
    Account const& account = accounts_[position];
    double const part = (entitlement_ - account.seen_entitlement) * account.weight;
    state.require(part >= 0 && part <= static_cast<double>(StateVisitor::longest.count()),
                  "seen_entitlement");
    if (account.active) join(position);
  }
}

} // namespace pegasus::policies
