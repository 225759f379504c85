// SPDX-License-Identifier: Apache-2.0
// How long a program waited for the accelerator: a histogram of its waits, their mean and
// their standard deviation.
#pragma once

#include "monitor/latency_histogram.h"
#include "policies/view.h"

#include <cmath>

namespace pegasus::sim {

using policies::Nanos;

class WaitTimes {
public:
  void add(Nanos wait) {
    histogram_.add(wait);
    // Whole numbers: their sums are exact up to 2^53, and therefore the same on any machine.
    auto const us = static_cast<double>(std::chrono::round<std::chrono::microseconds>(wait).count());
    ++count_;
    sum_us_ += us;
    squares_us2_ += us * us;
  }
  void add(WaitTimes const& other) {
    histogram_.add(other.histogram_);
    count_ += other.count_;
    sum_us_ += other.sum_us_;
    squares_us2_ += other.squares_us2_;
  }

  [[nodiscard]] monitor::LatencyHistogram const& histogram() const { return histogram_; }
  // To a microsecond for each wait; 0 if there were none.
  [[nodiscard]] double mean_us() const { return count_ > 0 ? sum_us_ / count_ : 0; }
  [[nodiscard]] double deviation_us() const {
    if (!(count_ > 0)) return 0;
    double const of_mean = mean_us() * mean_us();
    double const variance = squares_us2_ / count_ - of_mean;
    return variance > 0 ? std::sqrt(variance) : 0; // rounding may make it less than 0
  }

private:
  monitor::LatencyHistogram histogram_;
  double count_ = 0;
  double sum_us_ = 0;
  double squares_us2_ = 0;
};

} // namespace pegasus::sim
