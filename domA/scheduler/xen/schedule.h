// SPDX-License-Identifier: Apache-2.0
// What the hypervisor's CPU scheduler does with a domain, for policies: from the pages of a patched Xen, else
// by asking with hypercalls.
#pragma once

#include "monitor/schedule_reader.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace pegasus::xen {

using policies::Nanos;
using policies::Time;

struct CpuState {                      // of one vCPU
  bool running = false;                // it is on a pCPU
  std::optional<Time> running_since{}; // where Xen tells
  Nanos credit_left{0};                // on an unpatched Xen an estimate (monitor/credit_window.h)
  std::uint32_t weight = policies::default_credits; // the domain's
};

enum class Boost : std::uint8_t {
  given,       // where the vCPU has a use for it
  gone,        // there is no such vCPU
  unsupported, // this Xen, or the scheduler of the vCPU's cpupool, has no such thing
};

class Schedule {
public:
  virtual ~Schedule() = default;
  // nullptr: this is no Xen host, or its libraries are missing.
  [[nodiscard]] static std::unique_ptr<Schedule> open();

  // A vCPU that is not there has no credit and never runs.
  [[nodiscard]] virtual CpuState read(std::uint32_t domain, std::uint32_t vcpu, Time now) = 0;
  // More of it, with times by `now`'s clock. Nothing: there is no such vCPU, or this Xen does not tell.
  [[nodiscard]] virtual std::optional<monitor::VcpuSchedule> vcpu(std::uint32_t domain, std::uint32_t id,
                                                                  Time now) = 0;
  // Has a vCPU that waits for a pCPU go before others of its priority, unless it has used up its credit.
  virtual Boost boost(std::uint32_t domain, std::uint32_t vcpu) = 0;
  virtual void forget(std::uint32_t domain) = 0; // unmaps: a mapping keeps a destroyed domain from going
  [[nodiscard]] virtual std::string_view source() const = 0; // for the operator
};

} // namespace pegasus::xen
