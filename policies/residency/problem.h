// SPDX-License-Identifier: Apache-2.0
// What is left for a policy to decide when arrange.h has put aside what is kept, idle or refused.
#pragma once

#include "policies/residency/plan.h"
#include "policies/residency/tunables.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace pegasus::residency {

struct Candidate {
  std::uint64_t slots = 0; // that it needs when it runs; at least 1, at most Problem::slots
  double utilization = 0;  // 0 to 1
  double turns = 0;        // expected in a second; 0: none within a period
  Place place = {};        // where it is; empty: it arrives
};

struct Problem {
  std::uint64_t slots = 0;
  std::optional<policies::Nanos> arranged_ago = std::nullopt; // since domains were last moved; nullopt: never
  std::vector<Candidate> domains = {};

  // Whether domains that have a place may be moved again after `pause`.
  [[nodiscard]] bool may_rearrange(policies::Nanos pause) const {
    return !arranged_ago || *arranged_ago >= pause;
  }
};

struct Answer {
  std::vector<Place> places; // of the Problem's domains, in that order; empty: it does not fit
  bool rearranged = false;   // domains that had a place were moved, or could have been
};

} // namespace pegasus::residency
