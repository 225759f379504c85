// SPDX-License-Identifier: Apache-2.0
// The CPU time that a capped domain has in each period of credit2 (xen/common/sched/credit2.c of 4.17,
// "Utilization cap"). Its vCPUs take parts of it when they run, and give back what they have not used.
#pragma once

#include "sim/clock.h"

#include <cstdint>
#include <functional>

namespace pegasus::sim {

class CapBudget {
public:
  // `cap`: percent of one pCPU. Calls `replenished` at the beginning of each period in which there is budget.
  CapBudget(Clock& clock, std::uint32_t cap, std::function<void()> replenished);

  void add_vcpu() { ++vcpus_; }
  // A part for a vCPU that has nothing left, or has overrun its last part by -`left`; 0: there is none
  // in this period.
  [[nodiscard]] Nanos take(Nanos left);
  // A vCPU stops with `left` unused. True if there is budget for others now.
  bool give_back(Nanos left);

private:
  void replenish();

  Nanos total_;
  Nanos left_;
  std::int64_t vcpus_ = 0;
  std::function<void()> replenished_;
  Timer timer_;
};

} // namespace pegasus::sim
