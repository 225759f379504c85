// SPDX-License-Identifier: Apache-2.0
// The fraction of a domain's device time during which the calling vCPU is on a pCPU: the aim of coscheduling
// (Pegasus, section 6; FairGV 3.2.3). Found by sampling at moments that are independent of time slices and
// ticks: which domain's work is on the device, and is its vCPU on a CPU? The standard error of a fraction
// from n samples is at most 0.5 / sqrt(n): 2 points after 3 s of device time at 5 ms a sample.
#pragma once

#include "policies/view.h"

#include <cstdint>
#include <map>

namespace pegasus::monitor {

using policies::DomainId;

struct Overlap {
  std::uint64_t samples = 0; // its work was on the device
  std::uint64_t on_cpu = 0;  // and the calling vCPU on a pCPU
};

class OverlapMeter {
public:
  // The device is executing this domain's work.
  void sample(DomainId domain, bool on_cpu) {
    Overlap& overlap = domains_[domain];
    ++overlap.samples;
    overlap.on_cpu += on_cpu ? 1 : 0;
  }
  [[nodiscard]] Overlap of(DomainId domain) const {
    auto const found = domains_.find(domain);
    return found == domains_.end() ? Overlap{} : found->second;
  }
  void forget(DomainId domain) { domains_.erase(domain); }
  void reset() { domains_.clear(); }

private:
  std::map<DomainId, Overlap> domains_;
};

} // namespace pegasus::monitor
