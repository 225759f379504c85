// SPDX-License-Identifier: Apache-2.0
// Round robin: fair-share, hypervisor independent. Pegasus (Gupta et al., USENIX ATC 2011), sections
// 4.3 and 5.
//
// Rule: each domain runs in turn, in the order of the domain ids, for one tick; credits do not matter. A time
// slice ends early when the domain has no calls left (its worker has spun for the next one by then), and
// passes to the next domain.
//
// Deviations, all in deficit_round_robin.h: the paper gives a tick of polling. A block of a kernel cannot be
// interrupted, and some kernels are a single block: by polling time a domain with 20 ms kernels would get
// twice the time of its neighbours at a tick of 10 ms. We charge device time and subtract an overrun from the
// next time slices. A domain without calls is passed over, and may take its time slice later in the round.
//
// Promise: domains that always have work receive equal device time, to within one tick and one kernel at any
// moment. With n domains, one that has calls waits at most n * (4 ticks + the longest kernel).
#pragma once

#include "policies/deficit_round_robin.h"
#include "policies/policy.h"
#include "policies/tunables.h"

namespace pegasus::policies {

class RoundRobin final : public Policy, private SliceRule {
public:
  explicit RoundRobin(Tunables const& tunables) : drr_(tunables, equal_credits) {}
  [[nodiscard]] Decision decide(View const& view) override { return drr_.decide(view, *this); }
  [[nodiscard]] Nanos debt(DomainId id) const override { return drr_.debt(id); }
  void visit(StateVisitor& state) override { drr_.visit(state); }

private:
  [[nodiscard]] std::uint64_t order(DomainView const& domain) const override { return domain.id; }
  [[nodiscard]] Nanos length(DomainView const&, bool) const override { return drr_.tick(); }

  DeficitRoundRobin drr_;
};

} // namespace pegasus::policies
