// SPDX-License-Identifier: Apache-2.0
// The hypervisor's CPU schedule of guests, for policies: from the pages of a patched Xen, else from what every Xen tells.
#pragma once

#include "domA/scheduler/loop/xen/state_source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace pegasus::xen {

using policies::CpuState;

enum class Boost : std::uint8_t {
  given,       // if the vCPU has a use for it
  gone,        // there is no such vCPU
  unsupported, // for us, or by the scheduler of the vCPU's cpupool
};

class Schedule {
public:
  virtual ~Schedule() = default;
  // `clock`: the daemon's. Returns nullptr if this is not a Xen host or its libraries are missing.
  [[nodiscard]] static std::unique_ptr<Schedule> open(Clock clock);

  // The credit is Xen's own where it writes pages, else an estimate (monitor/credit_window.h).
  [[nodiscard]] virtual CpuState read(std::uint32_t domain, std::uint32_t vcpu, Time now) = 0;
  // More detail. nullopt if there is no such vCPU or this Xen does not show it.
  [[nodiscard]] virtual std::optional<monitor::VcpuSchedule> vcpu(std::uint32_t domain, std::uint32_t id,
                                                                  Time now) = 0;
  // Lets a vCPU that waits for a pCPU go before others of its priority, unless it has used up its credit.
  virtual Boost boost(std::uint32_t domain, std::uint32_t vcpu, Time now) = 0;
  virtual void forget(std::uint32_t domain) = 0;
  [[nodiscard]] virtual std::string source() const = 0; // and what a look costs, for the operator
};

} // namespace pegasus::xen
