// SPDX-License-Identifier: Apache-2.0
// What a CPU scheduler may have left of its credit for somebody, where only the time that he used is known:
// what is left of a whole CPU for this period, by what he used in the one before.
#pragma once

#include "policies/view.h"

#include <algorithm>

namespace pegasus::monitor {

using policies::Nanos;
using policies::Time;

class CreditWindow {
public:
  // As Xen's credit scheduler, which hands out credit every 30 ms.
  static constexpr Nanos period{std::chrono::milliseconds(30)};

  [[nodiscard]] bool due(Time now) const { return !known_ || now - began_ >= period; }
  // When it is due: `used` so far, ever.
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
  Time began_{0};
  Nanos used_before_{0}; // at the beginning of the window
  bool known_ = false;   // there was a window before
  Nanos left_ = period;
};

} // namespace pegasus::monitor
