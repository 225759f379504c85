// SPDX-License-Identifier: Apache-2.0
// How long a domain is without calls from the end of one to the next, and how long it may therefore keep
// the device meanwhile.
#pragma once

#include "policies/view.h"

#include <algorithm>
#include <optional>

namespace pegasus::policies {

class CallGap {
public:
  explicit CallGap(Time now = {}) : quiet_since_(now) {}

  // What is seen of the domain now. `had_calls`: at the last sample; `used`: device time since then. A gap
  // ends with calls, or with use that was not seen as a call.
  void sample(Time now, DomainView const& domain, bool had_calls, Nanos used) {
    bool const has_calls = domain.calls_waiting > 0;
    if (!had_calls && (has_calls || used > Nanos{0})) count(now - quiet_since_ - used);
    if (had_calls || has_calls || used > Nanos{0}) {
      quiet_since_ = now;
      first_look_.reset();
      sleeps_ = false;
    }
    if (has_calls) return;
    if (!first_look_) first_look_ = now;
    // Its vCPU wants no pCPU since the domain was seen to have no calls: the program waits
    // for something else.
    sleeps_ = sleeps_ || (domain.blocked_since && *domain.blocked_since >= *first_look_);
    schedule_known_ = domain.running_on_cpu || domain.blocked_since;
  }

  // How long it keeps the device without calls: up to twice its mean gap, if that is at most `limit`. A
  // domain that is not expected back before would be waited for in vain.
  [[nodiscard]] Nanos hold(Nanos limit) const {
    return mean_ <= limit ? std::min(limit, 2 * mean_) : Nanos{0};
  }
  [[nodiscard]] bool held(Time now, Nanos limit) const {
    return !sleeps_ && now - quiet_since_ < hold(limit);
  }
  // When to look again at a domain that is held: at the end, and in between whether its program sleeps.
  [[nodiscard]] Time next_sample(Time now, Nanos limit) const {
    Time const end = quiet_since_ + hold(limit);
    return schedule_known_ ? std::min(end, now + hold(limit) / looks_per_hold) : end;
  }

  // Where it pays to wait this long for a domain's next call, it costs as much to change the device's owner:
  // a change is not worth less than five times that.
  [[nodiscard]] static Nanos worth_a_change(Nanos hold) { return 5 * hold; }

private:
  void count(Nanos length) {
    Nanos const gap = std::clamp(length, Nanos{0}, max_latency_slice);
    if (!sleeps_) mean_ += mean_ == Nanos{0} ? gap : (gap - mean_) / 4; // a sleep is not a gap
  }

  static constexpr int looks_per_hold = 4;

  Time quiet_since_;
  std::optional<Time> first_look_; // at which it had no calls
  bool sleeps_ = false;
  bool schedule_known_ = false;
  Nanos mean_{0}; // of its gaps, recently; 0: not known
};

} // namespace pegasus::policies
