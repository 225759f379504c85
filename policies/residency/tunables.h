// SPDX-License-Identifier: Apache-2.0
// What an operator may set of the residency policies.
#pragma once

#include "policies/view.h"

namespace pegasus::residency {

struct Tunables {
  policies::Nanos idle_after{std::chrono::seconds(20)}; // then a domain's memory leaves (DymGPU III-A: 20 s)
  policies::Nanos period{
      std::chrono::seconds(20)}; // between rearrangements by utilization (DymGPU III-B: 20 s)
  // Between rearrangements because domains came or went. DymGPU looks every second; we also move no more often than
  // that, so that a domain that allocates and frees in a loop cannot keep the others' memory moving.
  policies::Nanos settle{std::chrono::seconds(1)};

  bool operator==(Tunables const&) const = default;
};

} // namespace pegasus::residency
