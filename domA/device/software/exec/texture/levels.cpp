// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/texture/levels.h"

#include <algorithm>
#include <cmath>

namespace pegasus::software {
namespace {

// `least` also if v is not a number.
double within(double v, double least, double most) {
  if (!(v > least)) return least;
  return v > most ? most : v;
}

} // namespace

LevelChoice levels_for(float level, device::Sampling const& sampling, std::size_t count, bool filtered) {
  double const biased = static_cast<double>(level) + static_cast<double>(sampling.mipmap_bias);
  double const asked =
      within(biased, static_cast<double>(sampling.mipmap_least), static_cast<double>(sampling.mipmap_most));
  double const there = within(asked, 0, static_cast<double>(count - 1));
  if (!filtered || sampling.mipmap_filter == device::Filter::point)
    return {std::min(static_cast<std::size_t>(std::llround(there)), count - 1), 0};
  auto const fixed = static_cast<std::uint64_t>(std::llround(there * 256));
  return {static_cast<std::size_t>(fixed / 256), static_cast<double>(fixed % 256) / 256};
}

float level_for(std::array<double, 3> const& by_x, std::array<double, 3> const& by_y) {
  auto const square = [](std::array<double, 3> const& v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; };
  double const longest = std::max(square(by_x), square(by_y));
  return static_cast<float>(std::log2(longest) / 2); // of 0 it is -infinity
}

} // namespace pegasus::software
