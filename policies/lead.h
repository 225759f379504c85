// SPDX-License-Identifier: Apache-2.0
// Lead: the accelerator leads the CPUs, and gives and takes the device only where that pays. Ours; the
// reasons are in docs/design/scheduling.md ("When coordination pays").
//
// Rule
//   1. Where the device goes from one domain's work to another's for nothing (View::switch_cost), all domains
//      have it together, except those that are ahead of their share (shared_fair.h). Time slices would cost
//      work: a domain that waits for each of its calls computes on its vCPU while another one's kernels run.
//   2. Where that costs s, one domain has the device at a time, by fair queuing (fair.h) with hold=auto: a
//      domain keeps it through gaps that are shorter than 2 * s, in which it would take s to change to another
//      domain and s to come back, and through longer ones when it has had less than its part (anticipation.h). It
//      loses it when its vCPU blocks meanwhile: its program waits for something else. It has the device
//      for at least 20 * s, so at most a twentieth of the time goes into changes.
//   3. When a domain's gate opens, the vCPU that waits for its call is woken if it is blocked, and boosted if
//      it waits for a pCPU: the CPU follows the device.
//
// Promise: domains that always have work receive device time in proportion to their credits. With n equal
// credits, a domain that has calls waits at most n * (3 ticks + 20 * s + the longest kernel).
#pragma once

#include "policies/fair.h"
#include "policies/policy.h"
#include "policies/shared_fair.h"
#include "policies/tunables.h"

#include <optional>
#include <variant>

namespace pegasus::policies {

class Lead final : public Policy {
public:
  explicit Lead(Tunables const& tunables) : tunables_(tunables) {}
  [[nodiscard]] Decision decide(View const& view) override;
  [[nodiscard]] Nanos debt(DomainId id) const override;
  void visit(StateVisitor& state) override;
  [[nodiscard]] bool reads_schedule() const override; // only FairQueuing looks at vCPUs

private:
  void choose_rule(bool together);

  Tunables tunables_;
  std::variant<std::monostate, SharedFairQueuing, FairQueuing> rule_; // as the first View's device wants it
};

} // namespace pegasus::policies
