// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on any machine: the standard library's generators are, its
// distributions are not.
#pragma once

#include "policies/view.h"

#include <cmath>
#include <cstdint>
#include <random>

namespace pegasus::sim {

class Random {
public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}

  // Uniform in [0, 1).
  double unit() { return static_cast<double>(generator_() >> 11) * 0x1p-53; }
  // Uniform in [span * (1 - spread), span * (1 + spread)]. `spread`: 0..1.
  policies::Nanos around(policies::Nanos span, double spread) {
    if (!(spread > 0)) return span;
    double const factor = 1 + spread * (2 * unit() - 1);
    return policies::Nanos(static_cast<std::int64_t>(static_cast<double>(span.count()) * factor));
  }

  // Exponentially distributed, as the times between the arrivals of a Poisson process.
  policies::Nanos exponential(policies::Nanos mean) {
    double const times = -std::log1p(-unit());
    return policies::Nanos(static_cast<std::int64_t>(static_cast<double>(mean.count()) * times));
  }

private:
  std::mt19937_64 generator_;
};

} // namespace pegasus::sim
