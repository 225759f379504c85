// SPDX-License-Identifier: Apache-2.0
// Makes a recording from the daemon's answers. Pure: it is told what the daemon said.
#pragma once

#include "control/control.pb.h"
#include "ctl/failure.h"
#include "ctl/record/recording.h"

#include <span>

namespace pegasus::ctl {

// The policy in use and its tunables, as pegasus-sim takes them.
[[nodiscard]] std::string policy_words(control::Policies const& policies);

class Recorder {
public:
  // The first answers: the recording begins.
  Recorder(control::Policies const& policies, control::Accelerators accelerators, control::Domains domains);

  // A further sample. Fails if the policy or a setting of a domain has changed: the recording would
  // be of neither.
  [[nodiscard]] Result<void> sample(control::Domains now, control::Accelerators accelerators);
  // The last answers: the recording has ended. Fails as sample(), or if there is no domain.
  [[nodiscard]] Result<Recording> end(control::Policies const& policies) &&;

private:
  [[nodiscard]] Result<RecordedDomain*> find_or_add(control::Domain const& domain);
  void add_delays(control::Domains const& now, control::Accelerators const& accelerators);
  [[nodiscard]] std::uint64_t others_ns(control::Accelerators const& now, RecordedDomain const& domain) const;

  bool exclusive_ = false; // the policy in use
  control::Accelerators at_first_, accelerators_before_;
  control::Domains before_;
  std::vector<std::uint64_t> lengths_; // of the intervals so far
  Recording recording_;
};

} // namespace pegasus::ctl
