// SPDX-License-Identifier: Apache-2.0
// The use of an accelerator since a moment that an operator chose (`pegasusctl reset`): the totals minus the
// totals at that moment. The meters go on counting, so policies see no difference.
#pragma once

#include "monitor/usage_meter.h"

#include <map>

namespace pegasus::monitor {

class UsageBaseline {
public:
  void reset(std::map<DomainId, DomainUsage> const& totals, Time now) {
    at_reset_ = totals;
    at_ = now;
  }
  void forget(DomainId domain) { at_reset_.erase(domain); }

  [[nodiscard]] Time at() const { return at_; }
  // `usage`: the domain's totals now.
  [[nodiscard]] DomainUsage since(DomainId domain, DomainUsage usage) const {
    if (auto const found = at_reset_.find(domain); found != at_reset_.end()) {
      usage.device_busy -= found->second.device_busy;
      usage.host_busy -= found->second.host_busy;
      usage.calls -= found->second.calls;
      usage.sync_calls -= found->second.sync_calls;
      usage.bytes -= found->second.bytes;
    }
    return usage;
  }

private:
  std::map<DomainId, DomainUsage> at_reset_;
  Time at_{};
};

} // namespace pegasus::monitor
