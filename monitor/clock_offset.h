// SPDX-License-Identifier: Apache-2.0
// What to add to another clock's time to get ours, from pairs that were not taken at one moment: an event's
// time by their clock, and ours some time after it. The least difference is the best; only the last seconds
// count, since clocks drift.
#pragma once

#include "policies/view.h"

#include <algorithm>

namespace pegasus::monitor {

using policies::Nanos;
using policies::Time;

class ClockOffset {
public:
  static constexpr Nanos window{std::chrono::seconds(1)};

  // At `now` we learnt of an event of `theirs`.
  void learn(Nanos theirs, Time now) {
    if (now - began_ >= window) {
      before_ = now - began_ >= 2 * window ? Nanos::max() : least_;
      least_ = Nanos::max();
      began_ = now;
    }
    least_ = std::min(least_, now - theirs);
  }
  // Only after something was learnt.
  [[nodiscard]] Nanos value() const { return std::min(least_, before_); }

private:
  Time began_{0};
  Nanos least_ = Nanos::max();  // since then
  Nanos before_ = Nanos::max(); // in the window before
};

} // namespace pegasus::monitor
