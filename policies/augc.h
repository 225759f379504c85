// SPDX-License-Identifier: Apache-2.0
// Augmented credit (AugC): throughput improvement by temporary credit boost. Pegasus (Gupta et al., USENIX
// ATC 2011), section 4.3 and Algorithm 2.
//
// Rule: at each tick pick the domain with the highest (X + AugCredit). AugCredit is the remaining CPU credit
// of a domain that is in the hypervisor's schedule for the coming period, 0 for the others. So a domain whose
// CPU half runs is more likely to have its accelerator half run at the same time, while the accelerator's own
// credits go on to decide how much each receives.
//
// Deviations
//   With a constant X, as Algorithm 2 is printed, the lowest credits would never be served. Here X is credit
//   left: burnt by device time, refilled in proportion (credit_pool.h), and the boost orders those who have
//   some.
//   The hypervisor's schedule is what it does now: Xen does not know the coming period before it begins. A
//   boost counts for 16 ticks at most, so that a CPU credit of any size outweighs a turn and no more.
//
// Promise: the boost is temporary, no domain is denied its eventual turn: those that always have work receive
// device time in proportion to X over a second. With n equal credits one that has calls waits at most
// n * (3 ticks + the longest kernel).
#pragma once

#include "policies/credit_pool.h"

namespace pegasus::policies {

class AugmentedCredit final : public Policy {
public:
  explicit AugmentedCredit(Tunables const& tunables);
  [[nodiscard]] Decision decide(View const& view) override { return pool_.decide(view); }
  [[nodiscard]] Nanos debt(DomainId id) const override { return pool_.debt(id); }

private:
  CreditPool pool_;
};

} // namespace pegasus::policies
