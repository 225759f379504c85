// SPDX-License-Identifier: Apache-2.0
// SLA feedback (SLAF): feedback-based proportional fair-share. Pegasus (Gupta et al., USENIX ATC
// 2011), section 4.3.
//
// Rule
//   1. A domain may have an SLO: the utilization of the accelerator that it expects. 0.5 is half
//      a second in each second.
//   2. Time slices are those of AccC (accc.h). The device time that each domain receives is summed up.
//   3. All domains are scanned for violations. A domain that received less than its SLO gets extra ticks, one
//      in each cycle, until it has caught up.
//
// Deviations
//   One extra tick a cycle cannot meet every SLO: beside three greedy domains of equal credits it gives 2/5.
//   Here a domain gets one extra tick a cycle for each tick that it is behind.
//   "Behind" is measured in device time, and only over time in which the domain had calls, or had some in the
//   last 10 ticks: a domain that asks for nothing is not violated.
//   The longest time slice is 16 ticks as in AccC; all time slices shrink together.
//   Step 4 of the paper, sending new domains elsewhere under load, is done where domains are assigned to
//   accelerators (domA/placement/selection.h), not in the policy of one accelerator.
//
// Promise: while the SLOs of domains that always have work sum up to less than 1, each receives its SLO, less
// the ticks it is behind when the extra time slices balance those of the others. The rest follows the
// credits. When the SLOs sum up to more, all fall short.
#pragma once

#include "policies/accc.h"

#include <map>

namespace pegasus::policies {

class SlaFeedback final : public Policy, private SliceRule {
public:
  // A domain that is this far behind has waited for a second. More would only prolong the
  // catching-up after an overload.
  static constexpr int max_ticks_behind = 100;
  // A program that computes between synchronous calls has no calls for short periods but
  // still wants the accelerator.
  static constexpr int pause_ticks = 10;

  explicit SlaFeedback(Tunables const& tunables);
  [[nodiscard]] Decision decide(View const& view) override;
  [[nodiscard]] Nanos debt(DomainId id) const override { return drr_.debt(id); }
  void visit(StateVisitor& state) override;

private:
  struct Service { // a domain with an SLO
    double slo = 0;
    Nanos total{0};     // device time seen
    Nanos behind{0};    // device time that the SLO promised and the domain did not receive
    Time scanned{};     // when `behind` was computed
    bool calls = false; // it had calls then
    Time wants_until{}; // without calls, it is taken to want the accelerator until then

    void visit(StateVisitor& state);
  };
  [[nodiscard]] std::uint64_t order(DomainView const& domain) const override {
    return credit_slices_.order(domain);
  }
  [[nodiscard]] Nanos length(DomainView const& domain, bool fresh) const override;
  void scan(View const& view);
  void scan(DomainView const& domain, Time now);
  [[nodiscard]] Nanos behind(Service const& service, Nanos received, Time now) const;

  DeficitRoundRobin drr_;
  CreditSlices credit_slices_;
  std::map<DomainId, Service> services_;
  Time now_{};
  double shrink_ = 1; // factor on all time slices that keeps the longest at 16 ticks
};

} // namespace pegasus::policies
