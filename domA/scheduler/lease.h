// SPDX-License-Identifier: Apache-2.0
// How long gates stay open if pegasusd is stopped or hangs: a worker stops by itself when the lease of its
// gate has ended. The scheduling thread renews it in time while it opens gates.
#pragma once

#include "policies/state_visitor.h"
#include "policies/view.h"

#include <chrono>
#include <optional>

namespace pegasus::scheduler {

class Lease {
public:
  using Time = policies::Time;
  static constexpr std::chrono::seconds length{2};

  // The new end of the lease, if it was due.
  [[nodiscard]] std::optional<Time> renew(Time now) {
    if (now < renewal()) return std::nullopt;
    until_ = now + length;
    return until_;
  }
  [[nodiscard]] Time renewal() const { return until_ - length / 2; } // when it is due
  [[nodiscard]] Time until() const { return until_; }
  void visit(policies::StateVisitor& state) { state.field("until", until_); }

private:
  Time until_{};
};

} // namespace pegasus::scheduler
