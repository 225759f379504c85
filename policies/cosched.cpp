// SPDX-License-Identifier: Apache-2.0
#include "policies/cosched.h"

namespace pegasus::policies {

namespace {

bool overdue(CreditAccount const& account, Nanos tick) {
  return account.has_credit() && account.waited >= tick * Cosched::patience_ticks;
}

// Those that have waited too long, then those on a CPU; then by credit left.
bool before(CreditAccount const& first, CreditAccount const& second, Nanos tick) {
  const bool first_overdue = overdue(first, tick);
  if (first_overdue != overdue(second, tick)) return first_overdue;
  if (first.domain->running_on_cpu != second.domain->running_on_cpu) return first.domain->running_on_cpu;
  return first.balance > second.balance;
}

bool interrupts(CreditAccount const& best, CreditAccount const& running) {
  return best.domain->running_on_cpu && !running.domain->running_on_cpu;
}

} // namespace

Cosched::Cosched(Tunables const& tunables) : pool_(tunables.tick, {before, interrupts, true}) {}

} // namespace pegasus::policies
