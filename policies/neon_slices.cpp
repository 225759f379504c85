// SPDX-License-Identifier: Apache-2.0
#include "policies/neon_slices.h"

#include "policies/accounts.h"

#include <algorithm>

namespace pegasus::policies {

namespace {

constexpr int ticks_per_slice = 3;
constexpr Nanos most_overuse{std::chrono::hours(1)};

} // namespace

NeonSlices::NeonSlices(Tunables const& tunables)
    : slice_(tunables.bounded_tick() * ticks_per_slice), max_debt_(tunables.bounded_tick() * max_debt_ticks) {
}

Decision NeonSlices::decide(View const& view) {
  bool const was_running = running_.has_value();
  update(view);
  Reason reason = Reason::unchanged;
  if (!running_ || ran_ >= slice_) {
    reason = running_ ? Reason::slice_end : was_running ? Reason::departure : Reason::arrival;
    auto const behind = std::ranges::upper_bound(accounts_, last_, {}, &Account::id);
    give_to_next(static_cast<std::uint32_t>(behind - accounts_.begin()));
    ran_ = Nanos{0};
  }
  if (!running_) return {{}, now_ + idle_review, now_ + idle_review, {}, Reason::idle};
  last_ = accounts_[*running_].id;
  Time const until = now_ + (slice_ - ran_);
  return {{last_}, until, until, {}, reason};
}

void NeonSlices::update(View const& view) {
  Nanos const had = had_device(view, now_);
  now_ = view.now;
  if (!view.changed)
    follow(view, accounts_, running_,
           [](DomainView const& domain) { return Account{.id = domain.id, .seen_total = total_of(domain)}; });
  for_changed(view, [&](std::uint32_t position) {
    Account& account = accounts_[position];
    Nanos const total = total_of(view.domains[position]);
    if (position != running_) account.overuse += std::clamp(total - account.seen_total, Nanos{0}, max_debt_);
    account.seen_total = total;
    account.connected = view.domains[position].tasks > 0;
  });
  if (running_ && !accounts_[*running_].connected) running_.reset();
  ran_ += had;
}

// The first in turn that has not used its next time slices already; each that has is passed over.
void NeonSlices::give_to_next(std::uint32_t first) {
  running_.reset();
  if (std::ranges::none_of(accounts_, &Account::connected)) return;
  for (std::uint32_t position = first;; ++position) {
    position %= static_cast<std::uint32_t>(accounts_.size());
    Account& account = accounts_[position];
    if (!account.connected) continue;
    if (account.overuse < slice_) {
      running_ = position;
      return;
    }
    account.overuse -= slice_;
  }
}

void NeonSlices::Account::visit(StateVisitor& state) {
  state.field("id", id);
  state.duration("overuse", overuse);
  state.duration("seen_total", seen_total);
  state.field("connected", connected);
  state.require(overuse <= most_overuse, "overuse"); // it would pass the domain over for ever
}

void NeonSlices::visit(StateVisitor& state) {
  state.time_or("now", now_, no_view);
  state.accounts("accounts", accounts_);
  state.position("running", running_, accounts_.size());
  state.field("last", last_);
  state.field("ran", ran_);
}

} // namespace pegasus::policies
