// SPDX-License-Identifier: Apache-2.0
// What size and utilization have in common: domains in some order, side by side from the left while they fit.
#pragma once

#include "policies/residency/problem.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace pegasus::residency {

struct SideBySide {
  std::vector<Place> places;
  // Positions of the domains without a place yet, in that order: VK, VK+1, ...
  std::vector<std::size_t> others;
};

template <class Before> SideBySide side_by_side(Problem const& problem, Before before) {
  std::vector<std::size_t> order(problem.domains.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, before);
  SideBySide row{.places = std::vector<Place>(order.size()), .others = {}};
  std::uint64_t used = 0;
  for (std::size_t const domain : order) {
    std::uint64_t const wanted = problem.domains[domain].slots;
    if (!row.others.empty() || wanted > problem.slots - used) {
      row.others.push_back(domain);
      continue;
    }
    row.places[domain] = {{used, wanted}};
    used += wanted;
  }
  return row;
}

} // namespace pegasus::residency
