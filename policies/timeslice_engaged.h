// SPDX-License-Identifier: Apache-2.0
// Engaged Timeslice: NEON's time slices, in which each call is intercepted. Menychtas, Shen, Scott, ASPLOS
// 2014; Fleig, "Fair GPU scheduling for nested virtualization", section 2.4.6. A baseline for dfq.h: what it
// costs to look at each call.
//
// Rule: timeslice_disengaged.h, and a worker begins a call when the device has done all that came before
// (Entry::engaged): each call is seen to begin and to end, and none is queued behind it.
//
// Deviations: NEON intercepts by a page fault at each call; our workers take each call anyway, and wait.
//
// Promise: that of timeslice_disengaged.h, with less work done.
#pragma once

#include "policies/neon_slices.h"

namespace pegasus::policies {

class TimesliceEngaged final : public Policy {
public:
  explicit TimesliceEngaged(Tunables const& tunables) : slices_(tunables) {}
  [[nodiscard]] Decision decide(View const& view) override { return slices_.decide(view); }
  void visit(StateVisitor& state) override { slices_.visit(state); }

private:
  NeonSlices slices_;
};

} // namespace pegasus::policies
