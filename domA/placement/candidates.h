// SPDX-License-Identifier: Apache-2.0
// What is on the accelerators, summed over the domains in use: what reservation.h and selection.h choose by. Pure:
// pegasusd and the simulator fill in what they know.
#pragma once

#include "domA/placement/reservation.h"
#include "domA/placement/selection.h"

#include <cstdint>
#include <span>
#include <vector>

namespace pegasus::placement {

// Memory is in bytes.
struct AcceleratorState {
  double capability = 1; // selection.h
  std::uint64_t memory = 0;
  std::uint64_t pool = 0; // the most that domains without a limit may use together
  std::uint64_t used = 0; // by all tasks, as they claim it
  bool failing = false;   // it refused a task recently
};

struct DomainState { // a domain in use
  std::size_t accelerator = 0;
  std::uint64_t credits = 0;
  double slo = 0;
  std::uint64_t memory_limit = 0; // 0: none
  std::uint64_t memory_used = 0;
  double activity = 0;   // selection.h; 0 where only free memory and SLOs matter
  bool violated = false; // it missed its SLO in the last second
};

// One for each accelerator.
[[nodiscard]] std::vector<Candidate> candidates(std::span<AcceleratorState const> accelerators,
                                                std::span<DomainState const> domains);
// The same, as reservations see it.
[[nodiscard]] std::vector<Available> available(std::span<AcceleratorState const> accelerators,
                                               std::span<DomainState const> domains);

} // namespace pegasus::placement
