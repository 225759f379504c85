// SPDX-License-Identifier: Apache-2.0
// Which accelerator a domain is associated with (Pegasus 3.2): decided when its first task comes, kept until
// its last one has left, because contexts and memory do not move. Pure.
//
// An accelerator's weight is its capability, from its static profile, over its load: the credits of the
// domains that are on it, each times the fraction of the recent past in which it wanted the accelerator, plus
// the credits of the new domain. A new domain therefore goes where its credits are worth most now,
// accelerators of equal weights are filled in turn, and a domain that only holds memory does not count. Two
// tests come before the weight: whether the domain's memory fits, and whether the SLOs there can still be
// kept (4.3, step 4 of SLAF: a violation keeps new domains away). A domain without a limit needs an unknown
// amount of memory: among equal weights the accelerator with the most free memory is taken.
#pragma once

#include "domA/device/device.h"
#include "policies/view.h"

#include <cstdint>
#include <span>
#include <string>

namespace pegasus::placement {

struct Candidate {
  double capability = 1;         // from its profile
  std::uint64_t free_memory = 0; // bytes neither used nor promised by limits of domains on it
  std::uint64_t credits = 0;     // of the domains with tasks on it
  double load = 0;               // ... each times the fraction of the recent past in which it had calls
  double slo = 0;                // sum of their SLOs
  bool violated = false;         // one of them missed its SLO in the last second
  bool failing = false;          // it refused a task recently
};

struct PlacementRequest {
  std::uint64_t credits = 1;
  std::uint64_t memory = 0; // bytes that the domain may use; 0: no limit
  double slo = 0;
};

// Threads that run at once times their clock: not exact, but it puts a large GPU before a small one.
[[nodiscard]] double capability(device::Profile const& profile);

// How much of a domain's credits counts as load. `demand`: the fraction of the recent past in which it had
// calls (monitor::Service). A new domain's demand is not known: for some seconds it counts as full.
[[nodiscard]] double activity(double demand, policies::Nanos since_it_came);

// The index of the best candidate; the first among equals. `candidates` must not be empty.
[[nodiscard]] std::size_t select_accelerator(std::span<Candidate const> candidates,
                                             PlacementRequest const& request);
// The reasons, for operators: what was found for each candidate.
[[nodiscard]] std::string explain_selection(std::span<Candidate const> candidates,
                                            PlacementRequest const& request);

} // namespace pegasus::placement
