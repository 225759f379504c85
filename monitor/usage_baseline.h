// SPDX-License-Identifier: Apache-2.0
// A domain's use of an accelerator since a moment that an operator chose (`pegasusctl reset`): the totals minus the
// totals at that moment. The meters go on counting, so policies see no difference.
#pragma once

#include "monitor/usage_meter.h"

namespace pegasus::monitor {

class UsageBaseline {
public:
  void reset(DomainUsage const& totals) { at_reset_ = totals; }

  // `usage`: the domain's totals now.
  [[nodiscard]] DomainUsage since(DomainUsage usage) const {
    usage.device_busy -= at_reset_.device_busy;
    usage.host_busy -= at_reset_.host_busy;
    usage.calls -= at_reset_.calls;
    usage.sync_calls -= at_reset_.sync_calls;
    usage.bytes -= at_reset_.bytes;
    return usage;
  }

  void visit(policies::StateVisitor& state) { at_reset_.visit(state); }

private:
  DomainUsage at_reset_{};
};

} // namespace pegasus::monitor
