// SPDX-License-Identifier: Apache-2.0
// Limits that all policies with time slices share (deficit_round_robin.h, credit_pool.h).
#pragma once

#include "policies/view.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace pegasus::policies {

// A tenth of a tick, 1 ms by default. That is many times the cost of closing one gate and opening another
// (tens of microseconds, and the context switch of the device), and short against the
// time slice of a waiting domain.
inline constexpr int granularities_per_tick = 10;

// 10 s by default: longer than any kernel that is not killed, so overruns are charged in full, but a wrong
// total does not shut a domain out for ever.
inline constexpr int max_debt_ticks = 1000;

// An idle accelerator needs no look, because a call is a scheduling point. This look only
// guards against a lost event.
inline constexpr Nanos idle_review{std::chrono::seconds(1)};

// A policy that waits for a moment does not ask for less.
inline constexpr Nanos shortest_review{std::chrono::microseconds(50)};

// A time slice of `usual` length among `contenders` domains that want the device: shorter, down to `least`, where
// their round would last longer than `longest_wait`. 0: it is not shortened.
inline Nanos shortened(Nanos usual, std::size_t contenders, Nanos longest_wait, Nanos least) {
  if (longest_wait <= Nanos{0} || contenders < 2) return usual;
  return std::clamp(longest_wait / static_cast<std::int64_t>(contenders), std::min(least, usual), usual);
}

inline constexpr Time no_view = Time::max();

// How long the device belonged to the running domain since the previous View, taken at `last`. Excludes the
// time in which the device drained the work of the previous domains, and time before this policy's first View
// (`last` is no_view).
inline Nanos had_device(View const& view, Time last) {
  return std::clamp(view.now - std::max(last, view.run_since), Nanos{0}, Nanos{std::chrono::hours(1)});
}

// What a domain is charged: the device's time, and the host's time on its behalf while its gate was open.
inline Nanos total_of(DomainView const& domain) {
  Nanos const device = std::clamp(domain.device_busy_total, Nanos{0}, Nanos::max() / 2);
  return device + std::clamp(domain.host_charged_total, Nanos{0}, Nanos::max() / 2);
}

} // namespace pegasus::policies
