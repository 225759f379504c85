// SPDX-License-Identifier: Apache-2.0
// Which accelerator a domain is associated with (Pegasus 3.2): decided when its first task comes, kept until
// its last one has left, since contexts and memory do not move. Pure.
//
// An accelerator's weight is what it can do, from its static profile, over its load: the credits of the
// domains that are on it, each times the part of the recent past in which it wanted the accelerator, and the
// credits of the one that comes. So a newcomer goes where its credits are worth most now; accelerators of
// equal weights are filled in turn; and a domain that only holds memory repels nobody. Before the weight
// counts whether the domain's memory fits, and whether the SLOs there can still be kept (4.3, step 4 of SLAF:
// a violation keeps new domains away). A domain without a limit needs some memory, nobody knows how much: of
// equal weights the one with the most is taken.
#pragma once

#include "domA/device/device.h"
#include "policies/view.h"

#include <cstdint>
#include <span>
#include <string>

namespace pegasus::daemon {

struct Candidate {
  double capability = 1;         // of its profile
  std::uint64_t free_memory = 0; // bytes that are neither used nor promised by limits of domains on it
  std::uint64_t credits = 0;     // of the domains with tasks on it
  double load = 0;               // ... each times the part of the recent past in which it had calls
  double slo = 0;                // sum of theirs
  bool violated = false;         // one of them missed its SLO in the last second
  bool failing = false;          // it refused a task a moment ago
};

struct Wish {
  std::uint64_t credits = 1;
  std::uint64_t memory = 0; // bytes the domain may use; 0: it has no limit
  double slo = 0;
};

// Threads that run at once times their clock: says nothing exact, but puts a large GPU before a small one.
[[nodiscard]] double capability(device::Profile const& profile);

// How much of a domain's credits counts as load. `demand`: the part of the recent past in which it had calls
// (monitor::Service). Of one that has just come nothing is known: it counts as if it had, for some seconds.
[[nodiscard]] double activity(double demand, policies::Nanos since_it_came);

// The index of the best; of equals the first. `candidates` is not empty.
[[nodiscard]] std::size_t select_accelerator(std::span<const Candidate> candidates, Wish const& wish);
// Why, for operators: what was found of each candidate.
[[nodiscard]] std::string explain_selection(std::span<const Candidate> candidates, Wish const& wish);

} // namespace pegasus::daemon
