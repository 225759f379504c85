// SPDX-License-Identifier: Apache-2.0
// NEON's time slices (Menychtas, Shen, Scott, ASPLOS 2014; Fleig 2.4.6). What follows is what
// timeslice_engaged.h and timeslice_disengaged.h have in common.
//
//   1. The domains with tasks have the device in turn, by their ids, each for 30 ms (three ticks), whether it
//      has calls or not. Credits do not matter.
//   2. Overuse is charged: device time that a domain's kernels take after the end of its time slice. A domain
//      whose overuse has reached a time slice is passed over once for each.
#pragma once

#include "policies/policy.h"
#include "policies/slice_limits.h"
#include "policies/tunables.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace pegasus::policies {

class NeonSlices final {
public:
  explicit NeonSlices(Tunables const& tunables);
  [[nodiscard]] Decision decide(View const& view);
  void visit(StateVisitor& state);

private:
  struct Account { // of one domain
    DomainId id = 0;
    Nanos overuse{0};
    Nanos seen_total{0};
    bool connected = false;

    void visit(StateVisitor& state);
  };

  void update(View const& view);
  void give_to_next(std::uint32_t first);

  Nanos slice_;
  Nanos max_debt_;
  Time now_ = no_view;
  std::vector<Account> accounts_;        // in the order of View::domains
  std::optional<std::uint32_t> running_; // its position
  DomainId last_ = 0;                    // that ran
  Nanos ran_{0};                         // of the time slice
};

} // namespace pegasus::policies
