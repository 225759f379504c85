// SPDX-License-Identifier: Apache-2.0
#include "policies/xen_credit.h"

#include "policies/accounts.h"

#include <algorithm>

namespace pegasus::policies {

namespace {

constexpr int ticks_per_slice = 3; // as Xen: 10 ms and 30 ms

} // namespace

XenCredit::XenCredit(Tunables const& tunables, Kind const& kind)
    : kind_(kind), slice_(tunables.bounded_tick() * ticks_per_slice),
      review_(tunables.bounded_tick() / granularities_per_tick) {}

Decision XenCredit::decide(View const& view) {
  auto const before = running_ ? std::optional(accounts_[*running_].id) : std::nullopt;
  update(view);
  if (now_ - accounted_ >= slice_) account();

  auto const target = coscheduled();
  auto stop = target ? std::optional(Reason::arrival) : stop_reason();
  if (stop) {
    if (before && !running_) stop = Reason::departure;
    if (running_) to_the_tail(*running_);
    running_ = target ? target : line_.empty() ? std::nullopt : std::optional(line_.begin()->position);
    ran_ = Nanos{0};
  }
  for (Account& account : accounts_)
    account.requests = false;
  return answer(stop.value_or(Reason::unchanged));
}

void XenCredit::update(View const& view) {
  Nanos const had = had_device(view, now_);
  if (now_ == no_view) accounted_ = view.now;
  now_ = view.now;
  if (!view.changed) {
    follow(view, accounts_, running_, [](DomainView const& domain) { return Account{.id = domain.id}; });
    line_up();
  }
  if (running_) {
    accounts_[*running_].credit -= had;
    ran_ += had;
  }
  for_changed(view, [&](std::uint32_t position) { look_at(position, view.domains[position]); });
}

void XenCredit::look_at(std::uint32_t position, DomainView const& domain) {
  Account& account = accounts_[position];
  account.weight = std::clamp(domain.credits, min_credits, max_credits);
  account.requests = domain.cpu.running && !account.on_cpu;
  account.on_cpu = domain.cpu.running;
  bool const runnable = kind_.polls ? domain.tasks > 0 : domain.calls_waiting > 0;
  if (runnable == account.runnable) return;
  if (runnable) {
    account.queued = ++queued_;
    account.runnable = true;
    line_.insert(place(position));
  } else {
    line_.erase(place(position));
    account.runnable = false;
  }
}

XenCredit::Place XenCredit::place(std::uint32_t position) const {
  return {accounts_[position].over, accounts_[position].queued, position};
}

void XenCredit::line_up() {
  line_.clear();
  for (std::uint32_t position = 0; position < accounts_.size(); ++position)
    if (accounts_[position].runnable) line_.insert(place(position));
}

// Hands out the credit of the periods that have passed. More than two fill every balance.
void XenCredit::account() {
  auto const periods = std::min<std::int64_t>((now_ - accounted_) / slice_, 2);
  accounted_ = now_ - (now_ - accounted_) % slice_;
  std::uint64_t weights = 0;
  for (Account const& account : accounts_)
    if (account.runnable) weights += account.weight;
  for (Account& account : accounts_) {
    if (account.runnable)
      account.credit += slice_ * periods / static_cast<std::int64_t>(weights) * account.weight;
    account.credit = std::clamp(account.credit, -slice_, slice_);
    account.over = account.credit < Nanos{0};
  }
  line_up();
}

std::optional<Reason> XenCredit::stop_reason() const {
  if (!running_) return Reason::arrival;
  if (!accounts_[*running_].runnable) return Reason::yield;
  if (ran_ >= slice_) return Reason::slice_end;
  return std::nullopt;
}

// FairGV, Algorithm 2: a domain whose vCPU was just selected gets the accelerator if no other domain
// has more credit.
std::optional<std::uint32_t> XenCredit::coscheduled() const {
  if (!kind_.follows_cpu || !running_) return std::nullopt;
  for (std::uint32_t position = 0; position < accounts_.size(); ++position) {
    Account const& target = accounts_[position];
    if (!target.requests || !target.runnable || position == running_) continue;
    bool const most = std::ranges::all_of(
        accounts_, [&](Account const& other) { return !other.runnable || other.credit <= target.credit; });
    if (most) return position;
  }
  return std::nullopt;
}

void XenCredit::to_the_tail(std::uint32_t position) {
  if (!accounts_[position].runnable) return;
  line_.erase(place(position));
  accounts_[position].queued = ++queued_;
  line_.insert(place(position));
}

Decision XenCredit::answer(Reason reason) const {
  if (!running_) return {{}, now_ + idle_review, now_ + idle_review, {}, Reason::idle};
  Decision decision;
  decision.run = {accounts_[*running_].id};
  decision.until = decision.ask_again = now_ + (slice_ - ran_);
  if (kind_.follows_cpu && line_.size() > 1) decision.ask_again = std::min(decision.until, now_ + review_);
  decision.reason = reason;
  return decision;
}

// Its requests end with each decision.
void XenCredit::Account::visit(StateVisitor& state) {
  state.field("id", id);
  state.field("weight", weight);
  state.field("credit", credit);
  state.field("queued", queued);
  state.field("runnable", runnable);
  state.field("over", over);
  state.field("on_cpu", on_cpu);
  state.require(weight >= min_credits && weight <= max_credits, "weight");
}

void XenCredit::visit(StateVisitor& state) {
  state.time_or("now", now_, no_view);
  state.field("accounted", accounted_);
  state.field("queued", queued_);
  state.accounts("accounts", accounts_);
  state.position("running", running_, accounts_.size());
  state.field("ran", ran_);
  if (state.restoring()) line_up();
}

} // namespace pegasus::policies
