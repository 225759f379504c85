// SPDX-License-Identifier: Apache-2.0
// The CPU part of a View: the hypervisor's schedule or the operating system's.
#pragma once

#include "policies/view.h"

#include <compare>
#include <cstdint>

namespace pegasus::scheduler {

// The origin of a call: a domain, and the vCPU that the guest reports.
struct Caller {
  policies::DomainId domain;
  std::uint32_t vcpu;
  auto operator<=>(Caller const&) const = default;
};

class CpuSchedule {
public:
  virtual ~CpuSchedule() = default;
  [[nodiscard]] virtual policies::CpuState read(Caller const& caller,
                                                policies::Time now) = 0; // as far as it is known
};

} // namespace pegasus::scheduler
