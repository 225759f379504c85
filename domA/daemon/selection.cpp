// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/selection.h"

#include <algorithm>
#include <tuple>

namespace pegasus::daemon {

double capability(device::Profile const& profile) {
  constexpr std::size_t clock_khz = 13, multiprocessors = 16, threads_each = 39; // CU_DEVICE_ATTRIBUTE_*
  double product = 1;
  for (std::size_t const attribute : {clock_khz, multiprocessors, threads_each})
    product *= std::max(profile.attribute[attribute], 1);
  return product;
}

std::size_t select_accelerator(std::span<const Candidate> candidates, Wish const& wish) {
  auto const preference = [&](Candidate const& one) {
    bool const fits = wish.memory <= one.free_memory;
    bool const overloaded = one.violated || (wish.slo > 0 && one.slo + wish.slo > 1);
    double const load = static_cast<double>(one.credits) + static_cast<double>(wish.credits);
    return std::tuple(!one.failing, fits, !overloaded, one.capability / load);
  };
  auto const best = std::ranges::max_element(candidates, {}, preference);
  return static_cast<std::size_t>(best - candidates.begin());
}

} // namespace pegasus::daemon
