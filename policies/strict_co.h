// SPDX-License-Identifier: Apache-2.0
// Strict coscheduling by the fairness condition. Pegasus (Gupta et al., USENIX ATC 2011), section 4.2, as
// FairGV (Hong, Spence, Nikolopoulos, TPDS 2017) states it in sections 3.2.3 and 5.3, Algorithms 1 and 2. A
// baseline; cosched.h is our own reading of Pegasus.
//
// Rule: credit_hs.h, and the hypervisor leads. When a domain's vCPU comes onto a CPU and no other domain
// that has calls has more accelerator credit, the domain gets the accelerator at once. The one that had it
// goes to the tail of its queue without the rest of its time slice, which is why shares suffer. Guests poll
// for their replies (Entry::guests_poll): one that sleeps until its answer comes is on a CPU only when it
// has had the accelerator.
//
// Deviations: the hypervisor sends no requests. Its schedule is read from memory every tenth of a tick, so a
// vCPU that was on a CPU for less than that may be missed.
//
// Promise: work conserving; none about shares. With n domains of equal credits, one that has calls waits at
// most n * (8 ticks + the longest kernel).
#pragma once

#include "policies/xen_credit.h"

namespace pegasus::policies {

class StrictCoscheduling final : public Policy {
public:
  explicit StrictCoscheduling(Tunables const& tunables)
      : credit_(tunables, {.polls = false, .follows_cpu = true}) {}
  [[nodiscard]] Decision decide(View const& view) override { return credit_.decide(view); }
  void visit(StateVisitor& state) override { credit_.visit(state); }

private:
  XenCredit credit_;
};

} // namespace pegasus::policies
