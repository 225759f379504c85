// SPDX-License-Identifier: Apache-2.0
// Credit-hs: Xen's credit scheduler for accelerators, with hybrid spinning. FairGV (Hong, Spence,
// Nikolopoulos, TPDS 2017), section 5.3. A baseline.
//
// Rule: xen_credit.h. A domain without calls leaves its time slice (its worker has spun for the next one by
// then), and comes back to the tail of the queue.
//
// Deviations: a domain that comes back is not boosted. Xen boosts a vCPU that wakes; on a device whose
// kernels cannot be interrupted the paper's time sharing has no such thing.
//
// Promise: work conserving. Device time in proportion to credits where kernels are short against 30 ms and
// domains have queues of calls; a domain that calls and waits gives up the rest of each time slice. With n
// domains of equal credits, one that has calls waits at most n * (8 ticks + the longest kernel).
#pragma once

#include "policies/xen_credit.h"

namespace pegasus::policies {

class CreditHybridSpin final : public Policy {
public:
  explicit CreditHybridSpin(Tunables const& tunables)
      : credit_(tunables, {.polls = false, .follows_cpu = false}) {}
  [[nodiscard]] Decision decide(View const& view) override { return credit_.decide(view); }
  void visit(StateVisitor& state) override { credit_.visit(state); }

private:
  XenCredit credit_;
};

} // namespace pegasus::policies
