// SPDX-License-Identifier: Apache-2.0
// When an aVCPU's work on the device must end.
#pragma once

#include <algorithm>
#include <chrono>

namespace pegasus::device {

using Nanos = std::chrono::nanoseconds;

// How long the work may take that is submitted to the device now, while a call of another domain is expected
// (policies/look_ahead.h).
struct PieceLimit {
  Nanos from{0};                // by CLOCK_MONOTONIC; what is submitted sooner ends by from + longest
  Nanos longest = Nanos::max(); // max: as long as it likes

  [[nodiscard]] bool any() const { return longest != Nanos::max(); }
  [[nodiscard]] Nanos at(Nanos now) const {
    return any() ? longest + std::max(from - now, Nanos{0}) : Nanos::max();
  }
};

// The aVCPU's time slice at the device. A backend reads it between the blocks of a launch.
class TimeSlice {
public:
  [[nodiscard]] virtual bool over() const = 0; // other workers wait: stop at the next possible point
  // When the time slice will end, by CLOCK_MONOTONIC, if nothing ends it sooner; max: no other worker waits.
  [[nodiscard]] virtual Nanos ends_at() const { return Nanos::max(); }
  [[nodiscard]] virtual PieceLimit pieces() const { return {}; }

protected:
  ~TimeSlice() = default;
};

} // namespace pegasus::device
