// SPDX-License-Identifier: Apache-2.0
// Pegasus-xc: XenoCredit (XC) as the paper has it, by polling time. Pegasus (Gupta et al., USENIX ATC 2011), sections
// 3.1, 4.1 (Algorithm 1), 4.3 and 5. A baseline for xc.h; with equal weights it is the paper's RR and AccC, too.
//
// Rule: pegasus_ticks.h. X is the weight that Xen's credit scheduler gives the domain's vCPUs. A domain has all of its
// ticks at once, the highest X first. Deviations: those of pegasus_ticks.h.
//
// Promise: polling time in proportion to whole ratios of the weights, and nothing about device time. It is not work
// conserving. With n domains of equal weights, one that has calls waits at most n * (4 ticks + the longest kernel).
#pragma once

#include "policies/pegasus_ticks.h"

namespace pegasus::policies {

class PegasusXenoCredit final : public Policy {
public:
  explicit PegasusXenoCredit(Tunables const& tunables) : ticks_(tunables, PegasusTicks::Order::credits) {}
  [[nodiscard]] Decision decide(View const& view) override { return ticks_.decide(view); }
  void visit(StateVisitor& state) override { ticks_.visit(state); }

private:
  PegasusTicks ticks_;
};

} // namespace pegasus::policies
