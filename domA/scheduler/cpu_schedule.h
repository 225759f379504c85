// SPDX-License-Identifier: Apache-2.0
// What a View says of domains on the CPUs: the hypervisor's schedule, the operating system's, a simulator's.
#pragma once

#include "policies/view.h"

namespace pegasus::scheduler {

class CpuSchedule {
public:
  virtual ~CpuSchedule() = default;
  // Sets running_on_cpu, cpu_credit_left and cpu_weight of `view`, as far as they are known; returns how old
  // that is.
  virtual policies::Nanos fill(policies::DomainView& view, policies::Time now) = 0;
};

} // namespace pegasus::scheduler
