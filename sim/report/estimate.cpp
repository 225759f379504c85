// SPDX-License-Identifier: Apache-2.0
#include "sim/report/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace pegasus::sim {

double student_t(std::size_t degrees_of_freedom) {
  // NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2, column 0.975.
  static constexpr std::array<double, 30> small{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                                2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                                2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                                2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  static constexpr std::array<std::pair<std::size_t, double>, 5> rows{
      {{40, 2.021}, {50, 2.009}, {60, 2.000}, {80, 1.990}, {100, 1.984}}};
  double t = small[std::clamp<std::size_t>(degrees_of_freedom, 1, small.size()) - 1];
  for (auto const& [degrees, value] : rows)
    if (degrees_of_freedom >= degrees) t = value;
  return t;
}

std::optional<Estimate> estimate_of(std::span<double const> values) {
  if (values.empty()) return std::nullopt;
  auto const count = static_cast<double>(values.size());
  // Equal values have no interval, however their sum is rounded.
  if (std::ranges::all_of(values, [&](double value) { return value == values.front(); }))
    return Estimate{.mean = values.front(),
                    .interval = values.size() > 1 ? std::optional(0.0) : std::nullopt};
  double const mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (double const value : values)
    squares += (value - mean) * (value - mean);
  double const error = std::sqrt(squares / (count - 1) / count); // of the mean
  return Estimate{.mean = mean, .interval = student_t(values.size() - 1) * error};
}

} // namespace pegasus::sim
