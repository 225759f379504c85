// SPDX-License-Identifier: Apache-2.0
// Loads a program's image as a module: finds its PTX, parses it, and makes it executable in the task's
// memory. Owns nothing.
#pragma once

#include "domA/device/device.h"
#include "domA/device/software/device_memory.h"
#include "domA/device/software/exec/device_limits.h"
#include "domA/device/software/exec/handler_table.h"
#include "domA/device/software/exec/program.h"
#include "domA/device/software/task_state.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pegasus::software {

class ModuleLoader {
public:
  // All of them must outlive this object.
  ModuleLoader(TaskState& state, DeviceMemory& memory, DeviceLimits const& limits, Isa isa)
      : state_(state), memory_(memory), limits_(limits), isa_(isa) {}

  // As for device::Context::load_module(). The error is in `log`, and is reported to the program.
  device::Status load(std::span<std::byte const> image, std::uint32_t image_kind,
                      std::unique_ptr<device::Module>& module, std::string& log);

private:
  // Charges the variables of the program that it returns; on failure nothing is charged.
  [[nodiscard]] tl::expected<std::unique_ptr<Program>, Program::Failure>
  build(std::vector<ptx::Module> units);

  TaskState& state_;
  DeviceMemory& memory_;
  DeviceLimits const& limits_;
  Isa isa_;
};

} // namespace pegasus::software
