// SPDX-License-Identifier: Apache-2.0
// The log of time slices: which domains had the device, for how long, how much of it they used, and why it
// ended. A time slice begins on a free device, after the one before has drained.
#pragma once

#include "monitor/trace_ring.h"
#include "policies/decision.h"
#include "policies/state_visitor.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace pegasus::scheduler {

class TimeSliceLog {
public:
  // `device_busy`: device time of all domains so far.
  void began(policies::Time now, policies::Nanos device_busy) {
    since_ = now;
    busy_ = device_busy;
  }
  // `policy`: what decided it; empty before the first decision. A time slice without length is not recorded.
  void ended(std::string_view policy, std::vector<policies::DomainId> const& run, policies::Reason why,
             policies::Time now, policies::Nanos device_busy) {
    if (since_ == now || policy.empty()) return;
    trace_.record({.at = since_,
                   .policy = policy,
                   .domains = run,
                   .ran = now - since_,
                   .device_busy = device_busy - busy_,
                   .ended = why});
  }
  [[nodiscard]] monitor::TraceRing const& trace() const { return trace_; }

  // The time slices that have ended are for operators to read, and not saved; their numbers go on.
  void visit(policies::StateVisitor& state) {
    state.field("since", since_);
    state.duration("busy", busy_);
    std::uint64_t recorded = trace_.recorded();
    state.field("recorded", recorded);
    if (state.restoring()) trace_.continue_after(recorded);
  }

private:
  static constexpr std::size_t entries = 4096;

  monitor::TraceRing trace_{entries};
  policies::Time since_{};
  policies::Nanos busy_{0};
};

} // namespace pegasus::scheduler
