// SPDX-License-Identifier: Apache-2.0
// None: no scheduling in the backend. Pegasus (Gupta et al., USENIX ATC 2011), section 4.1. The baseline.
//
// Rule: the gates of all domains are always open. Calls are served in the order of submission; the device and
// its driver arbitrate among the contexts. Deviations: none. Promise: no domain ever waits for a gate. There
// is none about shares: the device takes turns kernel by kernel, so a domain whose kernels are twenty times
// as long gets twenty times as much.
#pragma once

#include "policies/policy.h"
#include "policies/tunables.h"

#include <vector>

namespace pegasus::policies {

class None final : public Policy {
public:
  // Time decides nothing here. A periodic look makes sure that a lost event does not stall a domain.
  static constexpr Nanos review{std::chrono::seconds(1)};

  explicit None(Tunables const& tunables);
  [[nodiscard]] Decision decide(View const& view) override;
  void visit(StateVisitor& state) override { state.ascending("run", run_); }

private:
  [[nodiscard]] bool same_domains(View const& view) const; // none of those that changed came or went
  [[nodiscard]] Reason look_at_all(View const& view);

  std::vector<DomainId> run_; // the domains with tasks
};

} // namespace pegasus::policies
