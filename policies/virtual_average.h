// SPDX-License-Identifier: Apache-2.0
// The average of virtual times by weight, maintained as they are added, removed and changed;
// rounded down to a nanosecond.
#pragma once

#include "policies/view.h"

#include <cstdint>

namespace pegasus::policies {

class VirtualAverage {
public:
  // A weight times the distance of a time from the average must not overflow: 40 hours
  // with the greatest weight.
  void add(Nanos time, std::int64_t weight) {
    if (weight_ == 0) value_ = time;
    weight_ += weight;
    rest_ += weight * (time - value_).count();
    carry();
  }
  // With the same arguments as in add().
  void remove(Nanos time, std::int64_t weight) {
    weight_ -= weight;
    rest_ -= weight * (time - value_).count();
    carry();
  }
  [[nodiscard]] Nanos value() const { return value_; } // the last value if there are no times
  [[nodiscard]] std::int64_t weight() const { return weight_; }

private:
  void carry() {
    if (weight_ == 0) return;
    std::int64_t whole = rest_ / weight_;
    if (rest_ % weight_ < 0) --whole;
    value_ += Nanos{whole};
    rest_ -= whole * weight_;
  }

  Nanos value_{0};
  std::int64_t weight_ = 0;
  std::int64_t rest_ = 0; // the sum of weight * (time - value_), from 0 to below weight_
};

} // namespace pegasus::policies
