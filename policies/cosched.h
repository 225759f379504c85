// SPDX-License-Identifier: Apache-2.0
// Strict coscheduling (CoSched): latency reduction by occasional unfairness. Pegasus (Gupta et al., USENIX
// ATC 2011), section 4.2 and Algorithm 2.
//
// Rule: the hypervisor leads. Of the domains that are both in the run queue and in the hypervisor's schedule,
// the one with the highest X runs. If there is none, the domain with the highest X in the run queue runs, to
// keep the accelerator busy.
//
// Deviations
//   X is credit left, burnt and refilled (credit_pool.h), as in augc.h: among the domains that are on a CPU
//   the time follows the credits.
//   The paper's backend looks once a tick. Here a domain that left its CPU is preempted after a tenth of a
//   tick by one that is on a CPU: the schedule is read from memory, so looking costs nothing.
//   A domain that is blocked until its call returns is not on a CPU, and would wait for ever beside one that
//   never blocks. A domain that has credit and has waited for 16 ticks (`patience`) is served next.
//
// Promise: none about shares. With n equal credits, a domain that has calls waits at most n * (19
// ticks + the longest kernel).
#pragma once

#include "policies/credit_pool.h"

namespace pegasus::policies {

class Cosched final : public Policy {
public:
  explicit Cosched(Tunables const& tunables);
  [[nodiscard]] Decision decide(View const& view) override { return pool_.decide(view); }
  [[nodiscard]] Nanos debt(DomainId id) const override { return pool_.debt(id); }
  void visit(StateVisitor& state) override { pool_.visit(state); }

private:
  CreditPool pool_;
};

} // namespace pegasus::policies
