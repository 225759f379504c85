// SPDX-License-Identifier: Apache-2.0
// Pegasus-augc: augmented credit (AugC) as the paper has it, by polling time. Pegasus (Gupta et al., USENIX ATC 2011),
// sections 4.3 (Algorithm 2) and 5. A baseline for augc.h.
//
// Rule: pegasus_ticks.h. At each tick the domain with the highest X + AugCredit has the accelerator for a tick, where X
// are its accelerator credits and AugCredit the remaining CPU credit of a domain that is on a CPU, in Xen's unit: 300
// for a CPU slice.
//
// Deviations: those of pegasus_ticks.h.
//
// Promise: none about shares. It is not work conserving. With n domains of equal credits, one that has calls waits at
// most n * (19 ticks + the longest kernel).
#pragma once

#include "policies/pegasus_ticks.h"

namespace pegasus::policies {

class PegasusAugmentedCredit final : public Policy {
public:
  explicit PegasusAugmentedCredit(Tunables const& tunables)
      : ticks_(tunables, PegasusTicks::Order::augmented) {}
  [[nodiscard]] Decision decide(View const& view) override { return ticks_.decide(view); }
  void visit(StateVisitor& state) override { ticks_.visit(state); }

private:
  PegasusTicks ticks_;
};

} // namespace pegasus::policies
