// SPDX-License-Identifier: Apache-2.0
// What all policies that keep turns agree on (turn_keeper.h, credit_pool.h).
#pragma once

#include "policies/view.h"

#include <algorithm>

namespace pegasus::policies {

// A tenth of a tick, 1 ms by default: many times what closing one gate and opening another costs (tens of
// microseconds, and the device's own change of context), and short against the turn of a domain that waits.
inline constexpr int grains_per_tick = 10;

// 10 s by default: longer than a kernel that is let live, so overruns are charged in full; but a wrong total
// does not shut a domain out for ever.
inline constexpr int deepest_debt_ticks = 1000;

// An idle accelerator needs no look, since a call is a scheduling point. Just so that nothing is lost for
// ever.
inline constexpr Nanos idle_review{std::chrono::seconds(1)};

inline constexpr Time no_view = Time::max();

// For how long, since the View before, at `last`, the device was the running domain's: not while it drained
// those who ran before, and not before this policy's first View (`last` is no_view).
inline Nanos had_device(View const& view, Time last) {
  return std::clamp(view.now - std::max(last, view.run_since), Nanos{0}, Nanos{std::chrono::hours(1)});
}

// What a domain is charged: what the device did for it, and what was done for it instead while its gate was
// open.
inline Nanos total_of(DomainView const& domain) {
  const Nanos device = std::clamp(domain.device_busy_total, Nanos{0}, Nanos::max() / 2);
  return device + std::clamp(domain.host_charged_total, Nanos{0}, Nanos::max() / 2);
}

} // namespace pegasus::policies
