// SPDX-License-Identifier: Apache-2.0
// Whether a domain takes part in the division of the device: while it has calls, and between them as long as
// it may be expected back. A program that computes between its calls stays a part of it; one that needs less
// than half of the device does not keep others from the rest.
//
//   1. A gap may last as long as the work that the domain has done and not yet spent on gaps, up to a limit.
//   2. After a gap that lasted longer, the next one is not waited for; after k of these in a row, the next
//      2^k - 1.
#pragma once

#include "policies/state_visitor.h"
#include "policies/view.h"

#include <algorithm>

namespace pegasus::policies {

class Activity {
public:
  explicit Activity(Time now = {}) : seen_(now) {}

  // At each sample: device time since the last one, and whether the domain has calls.
  void sample(Time now, Nanos used, bool has_calls, Nanos limit) {
    if (used > Nanos{0} || had_calls_ || has_calls) {
      Nanos const gap = had_calls_ ? Nanos{0} : std::max(now - seen_ - used, Nanos{0});
      if (gap > Nanos{0}) end_gap(gap <= work_);
      work_ = std::clamp(work_ - gap + used, Nanos{0}, limit);
      seen_ = now;
    }
    had_calls_ = has_calls;
  }
  [[nodiscard]] bool has_calls() const { return had_calls_; }
  [[nodiscard]] bool active(Time now) const { return had_calls_ || now < until(); }
  // The end of its activity, if it has no calls by then.
  [[nodiscard]] Time until() const { return skipped_ > 0 ? seen_ : seen_ + work_; }

  void visit(StateVisitor& state) {
    state.field("seen", seen_);
    state.duration("work", work_);
    state.field("late", late_);
    state.field("skipped", skipped_);
    state.field("had_calls", had_calls_);
    state.require(late_ >= 0 && late_ <= most_late, "late");
  }

private:
  void end_gap(bool in_time) {
    if (skipped_ > 0) {
      --skipped_;
      return;
    }
    late_ = in_time ? 0 : std::min(late_ + 1, most_late);
    skipped_ = (1 << late_) - 1;
  }

  static constexpr int most_late = 6;

  Time seen_;       // with calls, or having used the device
  Nanos work_{0};   // not yet spent on gaps
  int late_ = 0;    // how many gaps that were waited for have lasted too long, in a row
  int skipped_ = 0; // how many gaps to come are not waited for
  bool had_calls_ = false;
};

} // namespace pegasus::policies
