// SPDX-License-Identifier: Apache-2.0
#include "policies/augc.h"

#include <algorithm>

namespace pegasus::policies {

namespace {

constexpr int cpu_slice_ticks = 3; // Xen's, by default: 30 ms, of ticks of 10 ms

// The boost of a domain that is on a CPU.
Nanos aug_credit(DomainView const& domain, Nanos tick) {
  return std::clamp(domain.cpu.credit_left, tick * cpu_slice_ticks, 2 * tick * cpu_slice_ticks);
}

} // namespace

AugmentedCredit::AugmentedCredit(Tunables const& tunables)
    : pool_(tunables, {.boost = aug_credit, .interrupts = false, .patience = Nanos{0}}) {}

} // namespace pegasus::policies
