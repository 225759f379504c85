// SPDX-License-Identifier: Apache-2.0
// Disengaged Timeslice: NEON's time slices, in which a domain uses the device unobserved. Menychtas,
// Shen, Scott, ASPLOS 2014; Fleig, "Fair GPU scheduling for nested virtualization", section 2.4.6. A
// baseline for dfq.h.
//
// Rule: neon_slices.h. Deviations: NEON's tasks are ours of all domains; a domain is one here, and its tasks
// share its time slice (domA/scheduler/task_slices.h).
//
// Promise: equal time slices, and equal device time for domains that always have work. It is not work
// conserving: what a domain does not use of its time slice is lost. With n domains, one that has calls waits
// at most n * (8 ticks + the longest kernel).
#pragma once

#include "policies/neon_slices.h"

namespace pegasus::policies {

class TimesliceDisengaged final : public Policy {
public:
  explicit TimesliceDisengaged(Tunables const& tunables) : slices_(tunables) {}
  [[nodiscard]] Decision decide(View const& view) override { return slices_.decide(view); }
  void visit(StateVisitor& state) override { slices_.visit(state); }

private:
  NeonSlices slices_;
};

} // namespace pegasus::policies
