// SPDX-License-Identifier: Apache-2.0
// Pegasus-cosched: strict coscheduling (CoSched) as the paper has it, by polling time. Pegasus (Gupta et al., USENIX
// ATC 2011), sections 4.2 (Algorithm 2) and 5. A baseline for cosched.h.
//
// Rule: pegasus_ticks.h. At each tick the domain with the highest X of those on a CPU has the accelerator for a tick, X
// being its accelerator credits; if none is on a CPU, the highest X in the queue. Among equals, the one that has waited
// longest.
//
// Deviations: those of pegasus_ticks.h.
//
// Promise: that of pegasus_augc.h.
#pragma once

#include "policies/pegasus_ticks.h"

namespace pegasus::policies {

class PegasusCoscheduling final : public Policy {
public:
  explicit PegasusCoscheduling(Tunables const& tunables) : ticks_(tunables, PegasusTicks::Order::on_cpu) {}
  [[nodiscard]] Decision decide(View const& view) override { return ticks_.decide(view); }
  void visit(StateVisitor& state) override { ticks_.visit(state); }

private:
  PegasusTicks ticks_;
};

} // namespace pegasus::policies
