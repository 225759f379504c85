// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/reservations.h"

#include "domA/scheduler/records.h"
#include "domA/scheduler/token_bucket.h"

#include <algorithm>
#include <utility>

namespace pegasus::scheduler {

using token_bucket::deepest, token_bucket::times, token_bucket::window;

namespace {

// What a domain that waits may be owed: the others wait for a bounded time, too, after a long kernel of theirs.
constexpr Nanos longest_wait{std::chrono::seconds(1)};
// A domain that had calls so lately keeps what it is owed; monitor/service_meter.h counts in the same way.
constexpr Nanos pause{std::chrono::milliseconds(100)};
constexpr int cycle_ticks = 4;
constexpr int least_per_tick = 5; // 2 ms
// As in the policies' time slices: changes take less than a twentieth of the time.
constexpr int changes_per_time = 20;
constexpr int holds_per_tick = 10;  // 1 ms: gaps of programs that only call
constexpr int free_gap = 8;         // as unclaimed_holds.h
constexpr double least_rest = 0.01; // what the others have of a cycle, or the cycle would not end

} // namespace

void Reservations::set_lengths(Nanos tick, Nanos switch_cost) {
  tick_ = tick;
  switch_cost_ = switch_cost;
}

Nanos Reservations::least() const {
  return std::max(tick_ / least_per_tick, switch_cost_ * changes_per_time);
}
Nanos Reservations::hold() const { return tick_ / holds_per_tick; }

// In a cycle of length c the domain has part * c, and its bucket fills while the others have the rest.
Nanos Reservations::full(double part) const {
  double const rest = std::max(1 - part, least_rest);
  Nanos const cycle =
      std::max(cycle_ticks * tick_, times(least(), 1 / std::max(std::min(part, rest), least_rest)));
  return times(cycle, part * rest);
}

void Reservations::set(DomainRecord& domain, double part, Time now) {
  if (part <= 0) return lift(domain, now);
  if (domain.reservation)
    fill(domain, now);
  else
    domain.reservation = {.filled_at = now, .quiet_since = now};
  domain.reservation->part = std::min(part, 1.0);
  line_up(domain, now);
}

void Reservations::forget(DomainRecord& domain, Time now) {
  lift(domain, now);
  if (leaving_ == &domain) leaving_ = nullptr;
}

void Reservations::lift(DomainRecord& domain, Time now) {
  if (!domain.reservation) return;
  if (chosen_ == &domain) end(now);
  if (domain.reservation->due_at) due_.erase(*domain.reservation->due_at, domain);
  domain.reservation.reset();
}

// With what came since the last time, in which it was as it is known to be.
void Reservations::fill(DomainRecord& domain, Time now) const {
  Bucket& bucket = *domain.reservation;
  Nanos const passed = std::clamp(now - bucket.filled_at, Nanos{0}, longest_wait);
  bucket.filled_at = std::max(bucket.filled_at, now);
  Nanos const saved = std::max(times(window, bucket.part), full(bucket.part));
  bool const waits = bucket.state.has_calls || chosen_ == &domain; // its gaps, too, while it is waited for
  bool const paused = now - bucket.quiet_since > pause;
  Nanos const owed = std::max(times(longest_wait, bucket.part), saved);
  Nanos const most = waits ? owed : paused ? saved : std::max(bucket.level, saved);
  bucket.level = std::min(bucket.level + times(passed, bucket.part), most);
}

// `passed` since the last time.
void Reservations::take(DomainRecord& domain, Nanos used, Nanos passed) {
  Bucket& bucket = *domain.reservation;
  if (!gives(domain)) {
    bucket.level = std::max(bucket.level - used, std::min(bucket.level, -times(window, bucket.part)));
    return;
  }
  bucket.level -= used;
  if (chosen_ == &domain && has_device_since_) {
    // A use that is seen late was no gap.
    bucket.idle = std::max(bucket.idle + passed - used - used / free_gap, -tick_);
    Nanos const charged = std::max(bucket.idle - hold(), Nanos{0});
    bucket.level -= charged - std::exchange(bucket.charged, charged);
  }
  bucket.level = std::max(bucket.level, -deepest);
}

void Reservations::update(DomainRecord& domain, State const& state, Time now) {
  if (!domain.reservation) return;
  Bucket& bucket = *domain.reservation;
  Time const since = std::max(bucket.filled_at, has_device_since_.value_or(Time{}));
  Nanos const used = bucket.known ? std::clamp(state.used - bucket.state.used, Nanos{0}, deepest) : Nanos{0};
  fill(domain, now);
  take(domain, used, std::max(now - since, Nanos{0}));
  if (state.has_calls || bucket.state.has_calls || used > Nanos{0}) bucket.quiet_since = now;
  bucket.state = state;
  bucket.known = true;
  line_up(domain, now);
}

void Reservations::line_up(DomainRecord& domain, Time now) {
  Bucket& bucket = *domain.reservation;
  if (bucket.due_at) due_.erase(*bucket.due_at, domain);
  bucket.due_at.reset();
  if (!bucket.state.has_calls || !bucket.state.may_run) return;
  bucket.due_at = std::max(now + times(full(bucket.part) - bucket.level, 1 / bucket.part), bucket.not_before);
  due_.insert(*bucket.due_at, domain);
}

bool Reservations::goes_on(Bucket const& bucket, Time now) const {
  return bucket.state.may_run && bucket.level > Nanos{0} &&
         (bucket.state.has_calls || now - bucket.quiet_since < hold());
}

void Reservations::end(Time now) {
  chosen_->reservation->not_before = now + least();
  if (given_ && has_device_since_) leaving_ = chosen_;
  chosen_ = nullptr;
  has_device_since_.reset();
  given_ = false;
}

DomainRecord* Reservations::choose(bool drained, Time now) {
  if (drained) leaving_ = nullptr;
  if (chosen_ != nullptr) {
    DomainRecord& domain = *chosen_;
    fill(domain, now);
    if (goes_on(*domain.reservation, now)) return chosen_;
    end(now);
    line_up(domain, now);
  }
  if (due_.empty() || due_.first_key() > now) return nullptr;
  chosen_ = &due_.first();
  chosen_->reservation->idle = chosen_->reservation->charged = Nanos{0};
  return chosen_;
}

bool Reservations::replace(policies::Decision& next, Circumstances const& is, Time now) {
  DomainRecord const* const before = chosen_;
  DomainRecord const* const due = is.allowed ? choose(is.drained, now) : nullptr;
  if (due == nullptr) release(now);
  bool const by_policy = due != nullptr && next.run.size() == 1 && next.run.front() == due->id;
  bool const replaces = due != nullptr && !by_policy;
  give(replaces);
  if (!replaces) return false;
  bool const begins = !is.again || before != due;
  next = {.run = {due->id},
          .until = empty_at(now),
          .ask_again = ask_again(now),
          .wake = {},
          .reason = begins ? policies::Reason::reservation : policies::Reason::unchanged,
          .exclusive = true,
          .pieces = next.pieces};
  return true;
}

Time Reservations::empty_at(Time now) const {
  Bucket const& bucket = *chosen_->reservation;
  return now + times(std::max(bucket.level, Nanos{0}), 1 / std::max(1 - bucket.part, least_rest));
}

Time Reservations::ask_again(Time now) const {
  Bucket const& bucket = *chosen_->reservation;
  Time const empty = empty_at(now);
  return bucket.state.has_calls ? empty : std::min(empty, bucket.quiet_since + hold());
}

} // namespace pegasus::scheduler
