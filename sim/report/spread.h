// SPDX-License-Identifier: Apache-2.0
// How values are distributed: what a box plot shows of them.
#pragma once

#include <vector>

namespace pegasus::sim {

struct Spread {
  double least = 0, lower_quartile = 0, median = 0, upper_quartile = 0, greatest = 0;
  [[nodiscard]] double h_spread() const { return upper_quartile - lower_quartile; }

  friend bool operator==(Spread const&, Spread const&) = default;
};

// A quartile between two values is interpolated, as the default of R and NumPy does. All 0 without values.
[[nodiscard]] Spread spread_of(std::vector<double> values);

} // namespace pegasus::sim
