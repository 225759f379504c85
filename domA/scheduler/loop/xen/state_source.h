// SPDX-License-Identifier: Apache-2.0
// Where the states of guests' vCPUs come from.
#pragma once

#include "monitor/schedule_reader.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace pegasus::xen {

using policies::Nanos;
using policies::Time;

constexpr std::uint32_t max_vcpus = 128; // more than a guest of Xen has on x86

using Clock = std::function<Time()>;

class StateSource {
public:
  virtual ~StateSource() = default;
  // With times by the daemon's clock, of which `now` is the time. nullopt if there is no such vCPU or it is not shown.
  [[nodiscard]] virtual std::optional<monitor::VcpuSchedule> vcpu(std::uint32_t domain, std::uint32_t id,
                                                                  Time now) = 0;
  virtual void forget(std::uint32_t domain) = 0;      // unmaps: a mapping keeps a destroyed domain alive
  [[nodiscard]] virtual std::string name() const = 0; // for the operator
};

} // namespace pegasus::xen
