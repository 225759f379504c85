// SPDX-License-Identifier: Apache-2.0
// Augmented credit (AugC): throughput improvement by temporary credit boost. Pegasus (Gupta et al., USENIX
// ATC 2011), section 4.3 and Algorithm 2.
//
// Rule: at each tick pick the domain with the highest (X + AugCredit). AugCredit is the remaining CPU credit
// of a domain that is in the hypervisor's schedule for the coming period, and 0 for the others. A domain
// whose CPU half runs is therefore more likely to have its accelerator half run at the same time. The
// accelerator's own credits still decide how much each domain receives.
//
// Deviations
//   With a constant X, as Algorithm 2 is printed, the lowest credits would never be served. Here X is the
//   credit left: it is burnt by device time and refilled in proportion (credit_pool.h).
//   The hypervisor's schedule is the current one: Xen does not know the coming period before it begins.
//   AugCredit of a domain that is on a CPU is at least one CPU slice and at most two. Less would not keep the
//   accelerator with a vCPU for as long as that one runs; and a vCPU that always computes has used up its
//   credit (OVER) most of the time, and is on its pCPU for as long as any other. More would let what domains
//   receive differ by more.
//
// Promise: the boost is temporary and no domain is denied its eventual time slice. Domains that always have
// work receive device time in proportion to X, to within two CPU slices. With n equal credits, a domain that
// has calls waits at most n * (8 ticks + the longest kernel).
#pragma once

#include "policies/credit_pool.h"

namespace pegasus::policies {

class AugmentedCredit final : public Policy {
public:
  explicit AugmentedCredit(Tunables const& tunables);
  [[nodiscard]] Decision decide(View const& view) override { return pool_.decide(view); }
  [[nodiscard]] Nanos debt(DomainId id) const override { return pool_.debt(id); }
  void visit(StateVisitor& state) override { pool_.visit(state); }

private:
  CreditPool pool_;
};

} // namespace pegasus::policies
