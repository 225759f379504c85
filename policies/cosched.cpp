// SPDX-License-Identifier: Apache-2.0
#include "policies/cosched.h"

namespace pegasus::policies {

namespace {

// More than any difference of balances: a domain on a CPU goes before one that is off it.
Nanos above_all(DomainView const&, Nanos tick) { return tick * max_debt_ticks * 4; }

} // namespace

// Domains that have waited too long come first, then those on a CPU, then by credit left.
Cosched::Cosched(Tunables const& tunables)
    : pool_(tunables, {.boost = above_all,
                       .interrupts = true,
                       .patience = std::chrono::round<Nanos>(tunables.patience * tunables.bounded_tick())}) {}

} // namespace pegasus::policies
