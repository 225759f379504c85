// SPDX-License-Identifier: Apache-2.0
// What a View says of domains on the CPUs: the hypervisor's schedule, the operating system's, a simulator's.
#pragma once

#include "policies/view.h"

#include <compare>
#include <cstdint>

namespace pegasus::scheduler {

class CpuSchedule {
public:
  virtual ~CpuSchedule() = default;
  // Sets running_on_cpu, on_cpu_since and cpu_credit_left, which are calling_vcpu's, and cpu_weight, as far
  // as they are known.
  virtual void fill(policies::DomainView& view, policies::Time now) = 0;
};

// Who calls: a domain, and by the guest's own word which of its vCPUs.
struct Caller {
  policies::DomainId domain;
  std::uint32_t vcpu;
  auto operator<=>(Caller const&) const = default;
};

} // namespace pegasus::scheduler
