// SPDX-License-Identifier: Apache-2.0
#include "sim/cpu/cap_budget.h"

#include <algorithm>

namespace pegasus::sim {
namespace {

constexpr Nanos period{std::chrono::milliseconds(10)};         // CSCHED2_BDGT_REPL_PERIOD
constexpr Nanos shortest_part{std::chrono::microseconds(500)}; // CSCHED2_MIN_TIMER

} // namespace

CapBudget::CapBudget(Clock& clock, std::uint32_t cap, std::function<void()> replenished)
    : total_(period * cap / 100), left_(total_), replenished_(std::move(replenished)),
      timer_(clock, [this] { replenish(); }) {
  timer_.after(period);
}

// unit_grab_budget: each vCPU of the domain has the chance of an equal part.
Nanos CapBudget::take(Nanos left) {
  left_ += left;
  Nanos const part = std::min(left_, std::max(total_ / vcpus_, shortest_part));
  if (part <= Nanos{0}) return Nanos{0};
  left_ -= part;
  return part;
}

bool CapBudget::give_back(Nanos left) {
  left_ += left;
  return left_ > Nanos{0};
}

// replenish_domain_budget: what was not used is lost, what was overrun is owed.
void CapBudget::replenish() {
  timer_.after(period);
  left_ = std::min(left_ + total_, total_);
  if (left_ > Nanos{0}) replenished_();
}

} // namespace pegasus::sim
