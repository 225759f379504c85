// SPDX-License-Identifier: Apache-2.0
// Credit-poll: Xen's credit scheduler for accelerators, with continuous polling. FairGV (Hong, Spence,
// Nikolopoulos, TPDS 2017), section 5.3. A baseline.
//
// Rule: xen_credit.h. The backend polls a domain's call buffer for its whole time slice, so a domain keeps
// the device whether it has calls or not, and a domain that never calls has its time slices, too. The guests
// poll for their replies in the same way (Entry::guests_poll). Deviations: none.
//
// Promise: device time in proportion to credits where kernels are short against 30 ms and all domains always
// have work. It is not work conserving. With n domains of equal credits, one that has calls waits at most n *
// (8 ticks + the longest kernel).
#pragma once

#include "policies/xen_credit.h"

namespace pegasus::policies {

class CreditPoll final : public Policy {
public:
  explicit CreditPoll(Tunables const& tunables) : credit_(tunables, {.polls = true, .follows_cpu = false}) {}
  [[nodiscard]] Decision decide(View const& view) override { return credit_.decide(view); }
  void visit(StateVisitor& state) override { credit_.visit(state); }

private:
  XenCredit credit_;
};

} // namespace pegasus::policies
