// SPDX-License-Identifier: Apache-2.0
// A context's limits (CUlimit): those that reserve memory for this context, which is charged, and a hint for
// its caches. Other limits change the device for all its users, or are for launches from the device.
#pragma once

#include "domA/device/cuda/device_facts.h"
#include "domA/device/cuda/task_state.h"
#include "domA/device/memory/task_memory.h"

#include <cstdint>
#include <map>

namespace pegasus::cuda {

class ContextLimits {
public:
  // All of them must outlive this object.
  ContextLimits(Driver const& driver, DeviceFacts const& facts, memory::TaskMemory& memory, TaskState& state)
      : driver_(driver), facts_(facts), memory_(memory), state_(state) {}

  // As for device::Context::set_limit().
  device::Status set(std::uint32_t limit, std::uint64_t& value);

private:
  // The memory that the driver reserves for a limit, beyond that of a new context.
  [[nodiscard]] std::uint64_t reserved(CUlimit which, std::uint64_t value) const;
  void in_force(CUlimit which, std::uint64_t value);

  Driver const& driver_;
  DeviceFacts const& facts_;
  memory::TaskMemory& memory_;
  TaskState& state_;
  std::map<CUlimit, std::uint64_t> reserved_; // charged, by limit
};

} // namespace pegasus::cuda
