// SPDX-License-Identifier: Apache-2.0
// AccCredit (AccC): proportional fair-share by accelerator credits. Pegasus (Gupta et al., USENIX ATC 2011),
// section 4.1 and Algorithm 1 (credit-based schemes).
//
// Rule, with X the accelerator credits of a domain and Xmin the least in the run queue:
//   1. The run queue is ordered by X, the highest first.
//   2. A domain's time slice is Tm = X / Xmin ticks: credits 1024, 512, 256, 512 give 4, 2, 1 and 2 ticks.
//   3. A new domain, or one that has no context established on the accelerator, gets 1 tick (Tc).
//   4. The head of the queue runs until its ticks are used up or it has no calls left; then the next one.
//
// Deviations
//   Tm is a real number, kept as nanoseconds: integer ticks would turn 300:200 into 1:1. The longest time
//   slice is 16 ticks. Credits of 65535:1 would give time slices of 11 minutes. All time slices shrink
//   together instead, which keeps the shares, down to the minimum granularity: time shorter than a tenth of a
//   tick is saved until it adds up to that. Time is device time and overruns are repaid;
//   the paper counts ticks of polling. A domain without calls is passed over and may take its time slice
//   later in the round. deficit_round_robin.h gives the bounds on both.
//
// Promise: domains that always have work receive device time in proportion to X. A domain that has calls
// waits at most until each of the others has had two time slices and its own debt is repaid: with n equal
// credits, n * (4 ticks + the longest kernel).
#pragma once

#include "policies/credits.h"
#include "policies/deficit_round_robin.h"
#include "policies/policy.h"
#include "policies/tunables.h"

#include <map>
#include <vector>

namespace pegasus::policies {

// 160 ms by default. Ratios up to 16 (Xen's weights 1024:64) give exactly the paper's ticks. A wait of a few
// such time slices is still short for a person at the screen.
inline constexpr int max_slice_ticks = 16;

// What X is. The schemes that share Algorithm 1 differ in X or in their use of the time slices.
// Rules 1 to 3: the order of the run queue and the length of each time slice.
class CreditSlices : public SliceRule {
public:
  CreditSlices(Nanos tick, Credits credits) : tick_(tick), credits_(credits) {}
  ~CreditSlices() = default;

  void update(View const& view); // called before the other members
  [[nodiscard]] std::uint64_t order(DomainView const& domain) const override;
  [[nodiscard]] Nanos length(DomainView const& domain, bool fresh) const override;
  [[nodiscard]] Nanos slice(DomainView const& domain) const; // rule 2 alone
  void visit(StateVisitor& state);

private:
  [[nodiscard]] std::uint32_t credits_of(DomainView const& domain) const;
  void note(std::uint32_t position, std::uint32_t credits);

  Nanos tick_;
  Credits credits_;
  std::vector<std::uint32_t> known_;             // X of each domain of the View; 0 if it has no tasks
  std::map<std::uint32_t, std::uint32_t> queue_; // X -> how many domains in the run queue have it
};

class AccCredit final : public Policy {
public:
  explicit AccCredit(Tunables const& tunables, Credits credits = accelerator_credits);
  [[nodiscard]] Decision decide(View const& view) override;
  [[nodiscard]] Nanos debt(DomainId id) const override { return drr_.debt(id); }
  void visit(StateVisitor& state) override {
    state.field("rounds", drr_);
    state.field("slices", rule_);
  }

private:
  DeficitRoundRobin drr_;
  CreditSlices rule_;
};

} // namespace pegasus::policies
