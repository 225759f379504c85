// SPDX-License-Identifier: Apache-2.0
// first-fit: what gVirt with gScale does, DymGPU's baseline (DymGPU II-A).
//
// A domain that arrives has a run of adjacent slots. Each of the runs that are long enough has a score: nothing for a
// free slot, and one weight for an occupied one. The lowest score is taken, and of several the leftmost. The domain
// stays there; that others leave, are idle or use more of the device changes nothing.
//
// The paper's text adds the weight once, however many domains a slot has. When all slots are occupied, all runs cost the
// same, and all further domains pile up on the leftmost slots. least-crowded is the other reading of "to minimize sharing
// of the slot": the weight is added for each domain in the slot, which spreads them.
#pragma once

#include "policies/residency/problem.h"

namespace pegasus::residency {

[[nodiscard]] Answer place_first_fit(Problem const& problem, Tunables const& tunables);
[[nodiscard]] Answer place_least_crowded(Problem const& problem, Tunables const& tunables);

} // namespace pegasus::residency
