// SPDX-License-Identifier: Apache-2.0
#include "policies/pegasus_ticks.h"

#include "policies/accounts.h"

#include <algorithm>
#include <utility>

namespace pegasus::policies {

namespace {

constexpr std::int64_t max_ticks = 16;
constexpr int patience_ticks = 16;
// Xen's credit scheduler takes 10 credits for a millisecond.
constexpr Nanos xen_credit{std::chrono::microseconds(100)};

} // namespace

PegasusTicks::PegasusTicks(Tunables const& tunables, Order order)
    : tick_(tunables.bounded_tick()), order_(order) {}

Decision PegasusTicks::decide(View const& view) {
  bool const was_running = running_.has_value();
  update(view);
  Reason reason = Reason::unchanged;
  if (!running_ || ran_ >= slice_) {
    reason = running_ ? Reason::slice_end : was_running ? Reason::departure : Reason::arrival;
    if (running_) accounts_[*running_].waits_since = now_;
    running_ = next();
    if (running_) start(*running_);
  }
  if (!running_) return {{}, now_ + idle_review, now_ + idle_review, {}, Reason::idle};
  Time const until = now_ + (slice_ - ran_);
  return {{accounts_[*running_].id}, until, until, {}, reason};
}

void PegasusTicks::update(View const& view) {
  Nanos const had = had_device(view, now_);
  now_ = view.now;
  if (!view.changed)
    follow(view, accounts_, running_, [](DomainView const& domain) { return Account{.id = domain.id}; });
  for_changed(view, [&](std::uint32_t position) { look_at(accounts_[position], view.domains[position]); });
  if (running_ && !accounts_[*running_].connected) running_.reset();
  ran_ += had;
}

void PegasusTicks::look_at(Account& account, DomainView const& domain) const {
  std::uint32_t const credits = order_ == Order::credits ? domain.cpu.weight : domain.credits;
  account.x = std::clamp(credits, min_credits, max_credits);
  account.on_cpu = domain.cpu.running;
  account.cpu_credit = account.on_cpu ? std::max(domain.cpu.credit_left, Nanos{0}) / xen_credit : 0;
  account.connected = domain.tasks > 0;
  account.context = domain.context_established;
  bool const calls = domain.calls_waiting > 0;
  if (calls && !account.calls) account.waits_since = now_;
  account.calls = calls;
}

void PegasusTicks::begin_round() {
  std::int64_t least = max_credits;
  for (Account const& account : accounts_)
    if (account.connected) least = std::min(least, account.x);
  for (Account& account : accounts_)
    account.ticks_left = account.context ? std::clamp<std::int64_t>(account.x / least, 1, max_ticks) : 1;
}

std::optional<std::uint32_t> PegasusTicks::next() {
  if (order_ == Order::credits) {
    auto const has_ticks = [](Account const& account) { return account.ticks_left > 0; };
    if (auto const found = best(has_ticks)) return found;
    begin_round();
    return best(has_ticks);
  }
  if (auto const waits = impatient()) return waits;
  if (order_ == Order::on_cpu)
    if (auto const found = best([](Account const& account) { return account.on_cpu; })) return found;
  return best([](Account const&) { return true; });
}

// Among equals, the one whose last turn was first.
std::optional<std::uint32_t> PegasusTicks::best(bool (*eligible)(Account const&)) const {
  auto const rank = [this](Account const& account) {
    return std::pair(account.x + (order_ == Order::augmented ? account.cpu_credit : 0), ~account.turn);
  };
  std::optional<std::uint32_t> found;
  for (std::uint32_t position = 0; position < accounts_.size(); ++position) {
    Account const& account = accounts_[position];
    if (account.connected && eligible(account) && (!found || rank(account) > rank(accounts_[*found])))
      found = position;
  }
  return found;
}

// The one that has waited longest, if that is too long.
std::optional<std::uint32_t> PegasusTicks::impatient() const {
  auto const waits = [this](std::uint32_t position) {
    Account const& account = accounts_[position];
    return account.connected && account.calls && now_ - account.waits_since >= patience_ticks * tick_;
  };
  std::optional<std::uint32_t> found;
  for (std::uint32_t position = 0; position < accounts_.size(); ++position)
    if (waits(position) && (!found || accounts_[position].waits_since < accounts_[*found].waits_since))
      found = position;
  return found;
}

void PegasusTicks::start(std::uint32_t position) {
  Account& account = accounts_[position];
  slice_ = tick_ * (order_ == Order::credits ? std::exchange(account.ticks_left, 0) : 1);
  account.turn = ++turns_;
  ran_ = Nanos{0};
}

void PegasusTicks::Account::visit(StateVisitor& state) {
  state.field("id", id);
  state.field("x", x);
  state.field("cpu_credit", cpu_credit);
  state.field("ticks_left", ticks_left);
  state.field("waits_since", waits_since);
  state.field("turn", turn);
  state.field("connected", connected);
  state.field("context", context);
  state.field("calls", calls);
  state.field("on_cpu", on_cpu);
  state.require(x >= min_credits && x <= max_credits, "x");
  state.require(cpu_credit >= 0 && cpu_credit <= StateVisitor::longest / xen_credit, "cpu_credit");
  state.require(ticks_left >= 0 && ticks_left <= max_ticks, "ticks_left");
}

void PegasusTicks::visit(StateVisitor& state) {
  state.time_or("now", now_, no_view);
  state.accounts("accounts", accounts_);
  state.position("running", running_, accounts_.size());
  state.field("turns", turns_);
  state.duration("slice", slice_);
  state.field("ran", ran_);
}

} // namespace pegasus::policies
