// SPDX-License-Identifier: Apache-2.0
// SLA feedback (SLAF): feedback-based proportional fair-share. Pegasus (Gupta et al., USENIX ATC 2011),
// section 4.3.
//
// Rule
//   1. A domain may have an SLO: the utilization of the accelerator it expects, 0.5 for half a second each
//      second.
//   2. Turns are those of AccC (accc.h). What each domain receives is summed up.
//   3. All domains are scanned for violations; one that was given less than its SLO gets extra ticks, one in
//      each cycle, until that is made good.
//
// Deviations
//   One extra tick a cycle cannot meet every SLO: beside three greedy domains of equal credits it makes 2/5.
//   So there is one extra tick a cycle for each tick that the domain is behind. Behind is measured in device
//   time, and only for time in which the domain had calls, or had some in the last 10 ticks: who asks for
//   nothing is not violated. The longest turn is 16 ticks as in AccC, all turns shrink together. Step 4 of
//   the paper, sending new domains elsewhere under load, is for whoever assigns domains to accelerators, not
//   for the policy of one: domA/daemon/selection.h.
//
// Promise: while the SLOs of domains that always have work sum up to less than 1, each receives its SLO, but
// for the ticks it is behind when the extra turns balance the others'; what is left follows the credits. When
// they sum up to more, all fall short.
#pragma once

#include "policies/accc.h"

#include <map>

namespace pegasus::policies {

class SlaFeedback final : public Policy, private TurnRule {
public:
  // A domain so far behind has waited for a second. More would only prolong the catching-up after an
  // overload.
  static constexpr int most_ticks_behind = 100;
  // A program that computes between synchronous calls has none for moments, and wants the accelerator all the
  // same.
  static constexpr int pause_ticks = 10;

  explicit SlaFeedback(Tunables const& tunables);
  [[nodiscard]] Decision decide(View const& view) override;
  [[nodiscard]] Nanos debt(DomainId id) const override { return turns_.debt(id); }

private:
  struct Service { // of a domain with an SLO
    double slo = 0;
    Nanos total{0};      // device time seen
    Nanos behind{0};     // device time that the SLO has promised and the domain has not received
    Time scanned{0};     // ... until then
    bool calls = false;  // it had calls then
    Time wants_until{0}; // without calls, it is taken to want the accelerator for so long
  };
  [[nodiscard]] std::uint64_t order(DomainView const& domain) const override {
    return credit_turns_.order(domain);
  }
  [[nodiscard]] Nanos length(DomainView const& domain, bool fresh) const override;
  void scan(View const& view);
  void scan(DomainView const& domain, Time now);
  [[nodiscard]] Nanos behind(Service const& service, Nanos received, Time now) const;

  TurnKeeper turns_;
  CreditTurns credit_turns_;
  std::map<DomainId, Service> services_;
  Time now_{0};
  double shrink_ = 1; // of all turns, so that the longest is 16 ticks
};

} // namespace pegasus::policies
