// SPDX-License-Identifier: Apache-2.0
// Strict coscheduling (CoSched): latency reduction by occasional unfairness. Pegasus (Gupta et al., USENIX
// ATC 2011), section 4.2 and Algorithm 2.
//
// Rule: the hypervisor leads. Of the domains that are both in the run queue and in the hypervisor's schedule,
// the one with the highest X runs; if there is none, the one with the highest X in the run queue, so that the
// accelerator does not idle.
//
// Deviations
//   X is credit left, burnt and refilled (credit_pool.h), as in augc.h: among those that are on a CPU the
//   time follows the credits. The paper's backend looks once a tick. Here a domain that left its CPU gives
//   way after a tenth of a tick to one that is on a CPU: the schedule is read from memory, looking costs
//   nothing. A domain that is blocked until its call returns is on no CPU, and would wait for ever beside one
//   that never blocks. One that has credit and has waited for 16 ticks (`patience`) is served next.
//
// Promise: none of a share. With n equal credits one that has calls waits at most n * (19 ticks + the longest
// kernel).
#pragma once

#include "policies/credit_pool.h"

namespace pegasus::policies {

class Cosched final : public Policy {
public:
  explicit Cosched(Tunables const& tunables);
  [[nodiscard]] Decision decide(View const& view) override { return pool_.decide(view); }
  [[nodiscard]] Nanos debt(DomainId id) const override { return pool_.debt(id); }

private:
  CreditPool pool_;
};

} // namespace pegasus::policies
