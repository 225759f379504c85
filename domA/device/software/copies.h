// SPDX-License-Identifier: Apache-2.0
// Copies and fills of device memory, done when they return. Those within the device take the engine, as
// kernels do; a copy to or from the host is the worker's own CPU time, as a GPU has copy engines beside the
// one that runs kernels.
#pragma once

#include "domA/device/device.h"
#include "domA/device/software/engine_turn.h"
#include "domA/device/software/task_memory.h"

#include <cstdint>
#include <span>

namespace pegasus::software {

class Copies {
public:
  using Status = device::Status;

  // Both must outlive this.
  Copies(TaskMemory& memory, EngineUse& engine) : memory_(memory), engine_(engine) {}

  // invalid_value: the rows are not one live allocation's, or not as long as what is on the host's side.
  Status to_device(device::Rect const& target, std::span<const std::byte> source);
  Status from_device(std::span<std::byte> target, device::Rect const& source);
  Status within_device(device::Rect const& target, device::Address source, std::uint64_t source_pitch);
  Status fill(device::Rect const& target, std::uint32_t value, std::uint32_t element_bytes);

private:
  TaskMemory& memory_;
  EngineUse& engine_;
};

} // namespace pegasus::software
