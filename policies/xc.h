// SPDX-License-Identifier: Apache-2.0
// XenoCredit (XC): proportional fair-share by CPU credits. Pegasus (Gupta et al., USENIX ATC
// 2011), section 4.3.
//
// Rule: AccC (accc.h), but X is the weight that Xen's credit scheduler gives the domain's vCPUs. A domain
// that was promised twice the CPU gets twice the accelerator, and the operator sets one number.
//
// Deviations: those of AccC. Local domains have no weight in a hypervisor; all count as Xen's default, 256.
//
// Promise: that of AccC, with weights for credits.
#pragma once

#include "policies/accc.h"

namespace pegasus::policies {

class XenoCredit final : public Policy {
public:
  explicit XenoCredit(Tunables const& tunables) : accc_(tunables, cpu_weight) {}
  [[nodiscard]] Decision decide(View const& view) override { return accc_.decide(view); }
  [[nodiscard]] Nanos debt(DomainId id) const override { return accc_.debt(id); }
  void visit(StateVisitor& state) override { accc_.visit(state); }

private:
  AccCredit accc_;
};

} // namespace pegasus::policies
