// SPDX-License-Identifier: Apache-2.0
// A loaded module and its functions, as the context returns them.
#pragma once

#include "domA/device/device.h"
#include "domA/device/software/device_memory.h"
#include "domA/device/software/exec/device_limits.h"
#include "domA/device/software/exec/program.h"
#include "domA/device/software/task_state.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace pegasus::software {

class SoftwareFunction final : public device::Function {
public:
  SoftwareFunction(TaskState const& task, Program const& program, Kernel const& kernel,
                   DeviceLimits const& limits);
  [[nodiscard]] device::FunctionInfo const& info() const override { return info_; }
  [[nodiscard]] device::Status set_attribute(std::int32_t attribute, std::int32_t value) override;

  [[nodiscard]] TaskState const* task() const { return &task_; } // the owner
  [[nodiscard]] Kernel const& kernel() const { return kernel_; }

private:
  TaskState const& task_;
  Kernel const& kernel_;
  DeviceLimits const& limits_;
  device::FunctionInfo info_;
};

class SoftwareModule final : public device::Module {
public:
  // All of them must outlive this object; the program's use of `memory` is charged already.
  SoftwareModule(TaskState& task, DeviceMemory& memory, DeviceLimits const& limits,
                 std::unique_ptr<Program> program);
  ~SoftwareModule() override;
  SoftwareModule(SoftwareModule const&) = delete;
  SoftwareModule& operator=(SoftwareModule const&) = delete;

  // Also nullptr for a kernel that exists but cannot be made executable; the reason is in a diagnostic.
  [[nodiscard]] device::Function* function(std::string_view name) override;
  [[nodiscard]] device::Range global(std::string_view name) override { return program_->global(name); }

private:
  TaskState& task_;
  DeviceMemory& memory_;
  DeviceLimits const& limits_;
  std::unique_ptr<Program> program_;
  std::map<std::string, SoftwareFunction, std::less<>> functions_; // nodes do not move
};

} // namespace pegasus::software
