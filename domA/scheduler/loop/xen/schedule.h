// SPDX-License-Identifier: Apache-2.0
// The hypervisor's CPU schedule of a domain, for policies: from the pages of a patched Xen, else
// by hypercalls.
#pragma once

#include "monitor/schedule_reader.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace pegasus::xen {

using policies::CpuState;
using policies::Nanos;
using policies::Time;

enum class Boost : std::uint8_t {
  given,       // if the vCPU has a use for it
  gone,        // there is no such vCPU
  unsupported, // by this Xen, or by the scheduler of the vCPU's cpupool
};

class Schedule {
public:
  virtual ~Schedule() = default;
  // Returns nullptr if this is not a Xen host or its libraries are missing.
  [[nodiscard]] static std::unique_ptr<Schedule> open();

  // On an unpatched Xen the credit is an estimate (monitor/credit_window.h).
  [[nodiscard]] virtual CpuState read(std::uint32_t domain, std::uint32_t vcpu, Time now) = 0;
  // More detail, with times by `now`'s clock. nullopt if there is no such vCPU or this Xen does
  // not report it.
  [[nodiscard]] virtual std::optional<monitor::VcpuSchedule> vcpu(std::uint32_t domain, std::uint32_t id,
                                                                  Time now) = 0;
  // Lets a vCPU that waits for a pCPU go before others of its priority, unless it has used up its credit.
  virtual Boost boost(std::uint32_t domain, std::uint32_t vcpu) = 0;
  virtual void forget(std::uint32_t domain) = 0; // unmaps: a mapping keeps a destroyed domain alive
  [[nodiscard]] virtual std::string_view source() const = 0; // for the operator
};

} // namespace pegasus::xen
