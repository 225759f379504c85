// SPDX-License-Identifier: Apache-2.0
// How fair a division was: the min-max ratio of Hong et al., "FairGV" (TPDS 2017), section 5.4.1.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>

namespace pegasus::policies {

// MMR = min x / max x, where x = received share / entitled share. 1 is perfectly fair; 0 means that a domain
// received nothing. Both spans have one entry for each domain that always had work; domains entitled to
// nothing are left out. Returns 1 with fewer than two domains, or if no domain received anything.
[[nodiscard]] inline double min_max_ratio(std::span<double const> received,
                                          std::span<double const> entitled) {
  std::size_t const size = std::min(received.size(), entitled.size());
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (!(entitled[i] > 0)) continue;
    // The sums over all domains, which turn both into shares, cancel out in the ratio.
    double const x = std::max(received[i], 0.0) / entitled[i];
    least = std::min(least, x);
    most = std::max(most, x);
  }
  return most > 0 ? least / most : 1;
}

} // namespace pegasus::policies
