// SPDX-License-Identifier: Apache-2.0
// The offset from another clock to ours. It is learnt from pairs that were not taken at one moment: the time
// of an event by their clock, and a later time by ours. The least difference is the best. Only the last
// seconds count, because clocks drift.
#pragma once

#include "policies/view.h"

#include <algorithm>

namespace pegasus::monitor {

using policies::Nanos;
using policies::Time;

class ClockOffset {
public:
  static constexpr Nanos window{std::chrono::seconds(1)};

  // At `now` we learnt of an event that happened at `theirs`.
  void learn(Time theirs, Time now) {
    if (now - began_ >= window) {
      before_ = now - began_ >= 2 * window ? Nanos::max() : least_;
      least_ = Nanos::max();
      began_ = now;
    }
    least_ = std::min(least_, now - theirs);
  }
  // Valid only after learn().
  [[nodiscard]] Nanos value() const { return std::min(least_, before_); }

private:
  Time began_{};
  Nanos least_ = Nanos::max();  // since began_
  Nanos before_ = Nanos::max(); // in the window before
};

} // namespace pegasus::monitor
