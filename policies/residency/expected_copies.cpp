// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/expected_copies.h"

#include "policies/residency/slots.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace pegasus::residency {

double copies_of_slot(std::span<double const> turns) {
  if (turns.size() < 2) return 0;
  std::size_t const hottest = static_cast<std::size_t>(std::ranges::max_element(turns) - turns.begin());
  double spared = turns[hottest];
  for (std::size_t i = 0; i < turns.size(); ++i)
    if (i != hottest && spared > 0) spared *= 1 - turns[i] / turns[hottest];
  return std::accumulate(turns.begin(), turns.end(), 0.0) - spared;
}

double expected_copies(Problem const& problem, std::vector<Place> const& places) {
  double sum = 0;
  std::vector<double> turns;
  for (Region const& region : regions_of(problem.slots, places)) {
    turns.clear();
    for (std::size_t const domain : region.domains)
      turns.push_back(problem.domains[domain].turns);
    sum += copies_of_slot(turns) * static_cast<double>(region.extent.count);
  }
  return sum;
}

} // namespace pegasus::residency
