// SPDX-License-Identifier: Apache-2.0
#include "policies/augc.h"

#include <algorithm>

namespace pegasus::policies {

namespace {

// The boost of a domain that is on a CPU.
Nanos aug_credit(DomainView const& domain, Nanos tick) {
  return std::clamp(domain.cpu_credit_left, Nanos{0}, tick * max_slice_ticks);
}

} // namespace

// Domains that have credit come first; among them, the highest (X + AugCredit).
AugmentedCredit::AugmentedCredit(Tunables const& tunables)
    : pool_(tunables.bounded_tick(),
            {.boost = aug_credit, .credit_first = true, .interrupts = false, .patience = Nanos{0}}) {}

} // namespace pegasus::policies
