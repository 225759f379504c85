// SPDX-License-Identifier: Apache-2.0
// Limits for a task's kernels (CUlimit), and the device heap; its size is one of these limits.
#pragma once

#include "domA/device/device.h"
#include "domA/device/software/device_memory.h"
#include "domA/device/software/exec/machine/launch.h"
#include "domA/device/software/task_state.h"

#include <cstdint>
#include <memory>

namespace pegasus::software {

class KernelLimits {
public:
  // `memory` must outlive this object: it contains the heap.
  KernelLimits(TaskState& state, DeviceMemory& memory, Limits const& limits)
      : state_(state), memory_(memory), limits_(limits) {}

  // As for device::Context::set_limit().
  device::Status set(std::uint32_t limit, std::uint64_t& value);
  [[nodiscard]] Limits const& limits() const { return limits_; }

  // Call it before a kernel runs: creates heap(), unless it does not fit.
  [[nodiscard]] device::Status ready_heap();
  [[nodiscard]] DeviceHeap& heap() { return *heap_; }

private:
  device::Status set_heap_bytes(std::uint64_t& value);

  TaskState& state_;
  DeviceMemory& memory_;
  Limits limits_;
  bool heap_size_set_ = false; // by the program
  std::unique_ptr<DeviceHeap> heap_;
};

} // namespace pegasus::software
