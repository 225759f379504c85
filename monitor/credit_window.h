// SPDX-License-Identifier: Apache-2.0
// Estimates the CPU credit that a scheduler has left for a vCPU or process of which only the used time is
// known: a whole CPU for this period, less its use in the previous one.
#pragma once

#include "policies/view.h"

#include <algorithm>

namespace pegasus::monitor {

using policies::Nanos;
using policies::Time;

class CreditWindow {
public:
  // The period of Xen's credit scheduler, which hands out credit every 30 ms.
  static constexpr Nanos period{std::chrono::milliseconds(30)};

  [[nodiscard]] bool due(Time now) const { return !known_ || now - began_ >= period; }
  // Call when due() is true. `used` is the total so far.
  void learn(Nanos used, Time now) {
    if (known_ && now > began_)
      left_ = std::clamp(period - (used - used_before_) * period.count() / (now - began_).count(), Nanos{0},
                         period);
    began_ = now;
    used_before_ = used;
    known_ = true;
  }
  [[nodiscard]] Nanos left() const { return left_; }

private:
  Time began_{};
  Nanos used_before_{0}; // at the beginning of the window
  bool known_ = false;   // there was a window before
  Nanos left_ = period;
};

} // namespace pegasus::monitor
