// SPDX-License-Identifier: Apache-2.0
#include "policies/augc.h"

#include <algorithm>

namespace pegasus::policies {

namespace {

Nanos aug_credit(CreditAccount const& account, Nanos tick) {
  DomainView const& domain = *account.domain;
  return domain.running_on_cpu ? std::clamp(domain.cpu_credit_left, Nanos{0}, tick * longest_turn_ticks)
                               : Nanos{0};
}

// Those who have credit first; among them, the highest (X + AugCredit).
bool before(CreditAccount const& first, CreditAccount const& second, Nanos tick) {
  if (first.has_credit() != second.has_credit()) return first.has_credit();
  return first.balance + aug_credit(first, tick) > second.balance + aug_credit(second, tick);
}

bool never(CreditAccount const&, CreditAccount const&) { return false; }

} // namespace

AugmentedCredit::AugmentedCredit(Tunables const& tunables) : pool_(tunables.tick, {before, never, false}) {}

} // namespace pegasus::policies
