// SPDX-License-Identifier: Apache-2.0
// Launches: one at a time, from its check to its end, over as many time slices as needed.
#pragma once

#include "domA/device/device.h"
#include "domA/device/software/device_memory.h"
#include "domA/device/software/engine_hold.h"
#include "domA/device/software/exec/machine/launch.h"
#include "domA/device/software/kernel_limits.h"
#include "domA/device/software/task_state.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace pegasus::software {

class KernelRunner {
public:
  using Status = device::Status;

  // All of them must outlive this object.
  KernelRunner(TaskState& state, DeviceMemory& memory, KernelLimits& limits, Textures const& textures,
               EngineUse& engine)
      : state_(state), memory_(memory), limits_(limits), textures_(textures), engine_(engine) {}

  // As for the functions of device::Context. A kernel's fault is the task's sticky error, and is
  // not returned here.
  Status launch(device::Function&, device::Launch const&, device::TimeSlice const&);
  Status resume(device::TimeSlice const&);

private:
  [[nodiscard]] Status finish(Outcome const&, std::string_view printed);
  void tell_of_gap(std::string const& forgiven);

  TaskState& state_;
  DeviceMemory& memory_;
  KernelLimits& limits_;
  Textures const& textures_;
  EngineUse& engine_;
  std::unique_ptr<Run> run_;           // a launch in progress
  std::set<std::string> told_kernels_; // that used a gap
};

} // namespace pegasus::software
