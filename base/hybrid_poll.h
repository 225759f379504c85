// SPDX-License-Identifier: Apache-2.0
// The polling half of a wait: both ends of a channel poll like this before they sleep.
#pragma once

#include "base/clock.h"
#include "frontend/protocol/hybrid_spin.h"

#include <algorithm>
#include <cstdint>

namespace pegasus::base {

// Polls until `ready(waited)` or until `go_on(waited, budget)` is false; returns whether it was ready.
// `waited`: ns since the start, read after every 32 polls, since reading a clock costs about 25 polls.
// `budget`: what `spin` allows, in ns; the outcome of this wait teaches it (hybrid_spin.h).
template <class Ready, class GoOn> bool poll_until(pegasus_spin& spin, Ready ready, GoOn go_on) {
  constexpr unsigned polls_per_clock = 32;
  std::uint64_t const start = monotonic_ns();
  std::uint64_t const budget = pegasus_spin_begin(&spin);
  std::uint64_t last = start;
  std::uint64_t longest_gap = 0;
  do {
    for (unsigned poll = 0; poll < polls_per_clock; ++poll)
      if (ready(last - start)) {
        pegasus_spin_hit(&spin, last - start);
        return true;
      }
    std::uint64_t const now = monotonic_ns();
    longest_gap = std::max(longest_gap, now - last);
    last = now;
  } while (go_on(last - start, budget));
  pegasus_spin_miss(&spin, longest_gap);
  return false;
}

} // namespace pegasus::base
