// SPDX-License-Identifier: Apache-2.0
// How long a domain is without calls from the end of one to the next, and how long it is therefore worth
// waiting for it.
#pragma once

#include "policies/state_visitor.h"
#include "policies/view.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace pegasus::policies {

class CallGap {
public:
  // `calls`: the domain's synchronous calls until now.
  explicit CallGap(Time now = {}, std::uint64_t calls = 0) : quiet_since_(now), seen_calls_(calls) {}

  // What is seen of the domain now. `had_calls`: at the last sample; `used`: device time since then. A gap
  // ends with calls, or with use that was not seen as a call: while its gate is open it may have made several.
  // Returns the length of a gap that ended.
  std::optional<Nanos> sample(Time now, DomainView const& domain, bool had_calls, Nanos used) {
    std::optional<Nanos> ended;
    bool const has_calls = domain.calls_waiting > 0;
    std::uint64_t const calls = domain.sync_calls_total - std::exchange(seen_calls_, domain.sync_calls_total);
    barred_ = barred_ || domain.barred;
    if (!had_calls && (has_calls || used > Nanos{0}) && !barred_) {
      Time const end = has_calls && used == Nanos{0} ? called_at(domain, now) : now - used;
      ended = count((end - quiet_since_) /
                    static_cast<std::int64_t>(std::clamp<std::uint64_t>(calls, 1, most_gaps)));
    }
    if (had_calls || has_calls || used > Nanos{0}) {
      quiet_since_ = now;
      first_look_.reset();
      sleeps_ = false;
      barred_ = domain.barred;
    }
    if (has_calls) return ended;
    if (!first_look_) first_look_ = now;
    // Its vCPU wants no pCPU since the domain was seen to have no calls: the program waits
    // for something else.
    sleeps_ = sleeps_ || (domain.cpu.blocked_since && *domain.cpu.blocked_since >= *first_look_);
    schedule_known_ = domain.cpu.running || domain.cpu.blocked_since;
    return ended;
  }

  // A mean of recent lengths; 0: none yet.
  static void follow(Nanos& mean, Nanos length) { mean += mean == Nanos{0} ? length : (length - mean) / 4; }
  [[nodiscard]] Nanos mean() const { return mean_; }
  // How long it keeps the device without calls: up to twice its mean gap, and `least`, if the mean is at most
  // `limit`. A domain that is not expected back before would be waited for in vain.
  [[nodiscard]] Nanos hold(Nanos limit, Nanos least = Nanos{0}) const {
    return mean_ <= limit ? std::min(limit, std::max(2 * mean_, least)) : Nanos{0};
  }
  [[nodiscard]] bool held(Time now, Nanos limit, Nanos least = Nanos{0}) const {
    return !sleeps_ && !barred_ && now - quiet_since_ < hold(limit, least);
  }
  // When to look again at a domain that is held: at the end, and in between whether its program sleeps.
  [[nodiscard]] Time next_sample(Time now, Nanos limit, Nanos least = Nanos{0}) const {
    Nanos const length = hold(limit, least);
    Time const end = quiet_since_ + length;
    return schedule_known_ ? std::min(end, now + length / looks_per_hold) : end;
  }

  void visit(StateVisitor& state) {
    state.field("quiet_since", quiet_since_);
    state.field("seen_calls", seen_calls_);
    state.field("first_look", first_look_);
    state.field("sleeps", sleeps_);
    state.field("barred", barred_);
    state.field("schedule_known", schedule_known_);
    state.duration("mean", mean_);
  }

private:
  [[nodiscard]] Time called_at(DomainView const& domain, Time now) const {
    return std::clamp(domain.calls_since.value_or(now), std::min(quiet_since_, now), now);
  }
  std::optional<Nanos> count(Nanos length) {
    if (sleeps_) return std::nullopt; // a sleep is not a gap
    Nanos const gap = std::clamp(length, Nanos{0}, max_latency_slice);
    follow(mean_, gap);
    return gap;
  }

  static constexpr int looks_per_hold = 4;
  static constexpr std::uint64_t most_gaps = 1000; // between two samples

  Time quiet_since_;
  std::uint64_t seen_calls_;
  std::optional<Time> first_look_; // at which it had no calls
  bool sleeps_ = false;
  bool barred_ = false; // it could not call
  bool schedule_known_ = false;
  Nanos mean_{0};
};

} // namespace pegasus::policies
