// SPDX-License-Identifier: Apache-2.0
#include "policies/look_ahead.h"

#include "policies/accounts.h"
#include "policies/slice_limits.h"

#include <algorithm>

namespace pegasus::policies {

namespace {

constexpr int interval_parts = 8, deviation_parts = 4; // Jacobson's
constexpr int deviations = 4;
constexpr int intervals_expected = 8;
constexpr Nanos expected_at_first{std::chrono::seconds(1)};

// The first of the line that is not this domain's.
template <class Line> auto first_of_others(Line const& line, std::uint32_t position) {
  auto first = line.begin();
  if (first != line.end() && first->second == position) ++first;
  return first;
}

} // namespace

void LookAhead::update(View const& view) {
  if (!view.changed) {
    std::optional<std::uint32_t> none;
    follow(view, accounts_, none, [&view](DomainView const& domain) {
      return Account{.id = domain.id, .seen_total = total_of(domain), .quiet_since = view.now};
    });
    from_.clear();
    ends_.clear();
    targets_.clear();
    for (std::uint32_t position = 0; position < accounts_.size(); ++position)
      join(position);
  }
  for_changed(view, [&](std::uint32_t position) {
    Account const& account = accounts_[position];
    if (account.target > Nanos{0} || view.domains[position].latency_slice > Nanos{0})
      look_at(position, view.domains[position], view.now);
  });
  while (!ends_.empty() && ends_.begin()->first <= view.now)
    leave(ends_.begin()->second);
}

void LookAhead::look_at(std::uint32_t position, DomainView const& domain, Time now) {
  leave(position);
  Account& account = accounts_[position];
  if (account.target == Nanos{0}) account.quiet_since = account.requested = now;
  account.target = std::max(domain.latency_slice, Nanos{0});
  Nanos const used = std::max(total_of(domain) - account.seen_total, Nanos{0});
  account.seen_total = total_of(domain);
  bool const calls = domain.calls_waiting > 0;
  if (!account.calls && (calls || used > Nanos{0})) {
    Time const since = calls && used == Nanos{0} ? domain.calls_since.value_or(now) : now - used;
    request(account, std::clamp(since, account.quiet_since, now));
  }
  if (account.calls || calls || used > Nanos{0}) account.quiet_since = now;
  account.calls = calls;
  expect(account);
  if (domain.tasks > 0) join(position);
}

// Rules 1 and 3.
void LookAhead::request(Account& account, Time now) {
  if (account.requests > 0 && now - account.quiet_since <= account.target) return; // a part of the last one
  Nanos const interval = std::min(now - std::exchange(account.requested, now), max_latency_slice * 100);
  if (account.requests < 2) {
    if (++account.requests < 2) return;
    account.interval = interval;
    account.deviation = interval / 2;
    return;
  }
  bool const pause = interval > account.interval * intervals_expected;
  if (pause && !std::exchange(account.paused, true)) return;
  if (pause) {
    account.interval = interval;
    account.deviation = interval / 2;
  }
  account.paused = false;
  Nanos const error = interval - account.interval;
  account.interval += error / interval_parts;
  account.deviation += (std::max(error, -error) - account.deviation) / deviation_parts;
}

// Rule 2.
void LookAhead::expect(Account& account) {
  bool const known = account.requests >= 2;
  account.from = known ? account.requested + account.interval - deviations * account.deviation : Time{};
  if (account.calls) account.from = std::min(account.from, account.requested);
  account.end = account.requested + (known ? account.interval * intervals_expected : expected_at_first);
}

void LookAhead::join(std::uint32_t position) {
  Account& account = accounts_[position];
  account.expected = account.target > Nanos{0};
  if (!account.expected) return;
  from_.insert({account.from, position});
  ends_.insert({account.end, position});
  targets_.insert({account.target, position});
}

void LookAhead::leave(std::uint32_t position) {
  Account& account = accounts_[position];
  account.expected = false;
  from_.erase({account.from, position});
  ends_.erase({account.end, position});
  targets_.erase({account.target, position});
}

std::optional<PieceLimit> LookAhead::limit(std::uint32_t running) const {
  auto const first = first_of_others(from_, running);
  if (first == from_.end()) return std::nullopt;
  return PieceLimit{.from = first->first, .longest = first_of_others(targets_, running)->first};
}

void LookAhead::Account::visit(StateVisitor& state) {
  state.field("id", id);
  state.duration("target", target);
  state.field("calls", calls);
  state.duration("seen_total", seen_total);
  state.field("quiet_since", quiet_since);
  state.field("requested", requested);
  state.field("requests", requests);
  state.field("paused", paused);
  state.duration("interval", interval);
  state.duration("deviation", deviation);
  state.field("from", from);
  state.field("end", end);
  state.field("expected", expected);
}

void LookAhead::visit(StateVisitor& state) {
  state.accounts("accounts", accounts_);
  if (!state.restoring()) return;
  for (std::uint32_t position = 0; position < accounts_.size(); ++position)
    if (accounts_[position].expected) join(position);
}

} // namespace pegasus::policies
