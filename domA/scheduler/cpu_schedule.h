// SPDX-License-Identifier: Apache-2.0
// The CPU part of a View: the hypervisor's schedule or the operating system's.
#pragma once

#include "policies/view.h"

#include <compare>
#include <cstdint>

namespace pegasus::scheduler {

class CpuSchedule {
public:
  virtual ~CpuSchedule() = default;
  // Sets running_on_cpu, on_cpu_since, blocked_since and cpu_credit_left for calling_vcpu, and cpu_weight, as
  // far as they are known.
  virtual void fill(policies::DomainView& view, policies::Time now) = 0;
};

// The origin of a call: a domain, and the vCPU that the guest reports.
struct Caller {
  policies::DomainId domain;
  std::uint32_t vcpu;
  auto operator<=>(Caller const&) const = default;
};

} // namespace pegasus::scheduler
