// SPDX-License-Identifier: Apache-2.0
// How long a domain is without calls from the end of one to the next, and how long it may therefore keep the
// device meanwhile.
#pragma once

#include "policies/view.h"

#include <algorithm>

namespace pegasus::policies {

class CallGap {
public:
  explicit CallGap(Time now = {}) : quiet_since_(now) {}

  void has_calls(Time now) { quiet_since_ = now; }
  // It had no calls until now, except for `used` of device time.
  void ended(Time now, Nanos used) {
    const Nanos gap = std::clamp(now - quiet_since_ - used, Nanos{0}, max_latency_slice);
    mean_ += mean_ == Nanos{0} ? gap : (gap - mean_) / 4;
    quiet_since_ = now;
  }

  // How long it keeps the device without calls: up to twice its mean gap, if that is at most `limit`. A domain
  // that is not expected back before would be waited for in vain.
  [[nodiscard]] Nanos hold(Nanos limit) const {
    return mean_ <= limit ? std::min(limit, 2 * mean_) : Nanos{0};
  }
  [[nodiscard]] bool held(Time now, Nanos limit) const { return now - quiet_since_ < hold(limit); }
  [[nodiscard]] Time held_until(Nanos limit) const { return quiet_since_ + hold(limit); }

private:
  Time quiet_since_;
  Nanos mean_{0}; // of its gaps, recently; 0: not known
};

} // namespace pegasus::policies
