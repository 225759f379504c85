// SPDX-License-Identifier: Apache-2.0
// Copies and fills of device memory, complete when they return. Those within the device take the engine, like
// kernels. A copy to or from the host is the worker's own CPU time, as a GPU has copy engines beside the
// engine that runs kernels.
#pragma once

#include "domA/device/device.h"
#include "domA/device/software/device_memory.h"
#include "domA/device/software/engine_hold.h"

#include <cstdint>
#include <span>

namespace pegasus::software {

class Copies {
public:
  using Status = device::Status;

  // Both must outlive this object.
  Copies(DeviceMemory& memory, EngineUse& engine) : memory_(memory), engine_(engine) {}

  // invalid_value: the rows do not lie in one live allocation, or their size differs from the host's buffer.
  Status to_device(device::Rect const& target, std::span<std::byte const> source);
  Status from_device(std::span<std::byte> target, device::Rect const& source);
  Status within_device(device::Rect const& target, device::Address source, std::uint64_t source_pitch);
  Status fill(device::Rect const& target, std::uint32_t value, std::uint32_t element_bytes);

private:
  DeviceMemory& memory_;
  EngineUse& engine_;
};

} // namespace pegasus::software
