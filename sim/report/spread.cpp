// SPDX-License-Identifier: Apache-2.0
#include "sim/report/spread.h"

#include <algorithm>
#include <cstddef>

namespace pegasus::sim {
namespace {

// The value below which `quarters` quarters of the sorted values are.
double quartile(std::vector<double> const& sorted, std::size_t quarters) {
  std::size_t const steps = (sorted.size() - 1) * quarters; // in quarters of a position
  double const below = sorted[steps / 4];
  if (steps % 4 == 0) return below;
  return below + (sorted[steps / 4 + 1] - below) * (static_cast<double>(steps % 4) / 4);
}

} // namespace

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  return {.least = values.front(),
          .lower_quartile = quartile(values, 1),
          .median = quartile(values, 2),
          .upper_quartile = quartile(values, 3),
          .greatest = values.back()};
}

} // namespace pegasus::sim
