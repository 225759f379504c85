// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/module.h"

#include <fmt/format.h>
#include <utility>

namespace pegasus::software {
namespace {

// CUfunction_attribute
constexpr std::int32_t max_dynamic_shared_size_bytes = 8;
constexpr std::int32_t preferred_shared_memory_carveout = 9;

} // namespace

SoftwareFunction::SoftwareFunction(TaskState const& task, Program const& program, Kernel const& kernel,
                                   DeviceLimits const& limits)
    : task_(task), kernel_(kernel), limits_(limits), info_(program.info(kernel)) {
  info_.binary_version = static_cast<std::uint16_t>(limits.compute_capability);
}

device::Status SoftwareFunction::set_attribute(std::int32_t attribute, std::int32_t value) {
  using device::Status;
  if (task_.status() != Status::success) return task_.status();
  switch (attribute) {
  case max_dynamic_shared_size_bytes:
    if (value < 0 || std::int64_t{value} + info_.static_shared_bytes > limits_.shared_per_block_optin)
      return Status::invalid_value;
    info_.max_dynamic_shared_bytes = static_cast<std::uint32_t>(value);
    return Status::success;
  case preferred_shared_memory_carveout: // a hint in percent, -1: default; there is no cache to divide
    return value >= -1 && value <= 100 ? Status::success : Status::invalid_value;
  default:
    return Status::not_supported;
  }
}

SoftwareModule::SoftwareModule(TaskState& task, DeviceMemory& memory, DeviceLimits const& limits,
                               std::unique_ptr<Program> program)
    : task_(task), memory_(memory), limits_(limits), program_(std::move(program)) {}

SoftwareModule::~SoftwareModule() {
  functions_.clear();
  program_.reset();
  memory_.task.give_back();
}

device::Function* SoftwareModule::function(std::string_view name) {
  if (auto const found = functions_.find(name); found != functions_.end()) return &found->second;
  auto const kernel = program_->kernel(name);
  if (!kernel) {
    if (kernel.error().status != device::Status::not_found)
      task_.diagnose(
          fmt::format("kernel {} cannot run on the software accelerator: {}", name, kernel.error().message));
    return nullptr;
  }
  auto const added = functions_.try_emplace(std::string(name), task_, *program_, **kernel, limits_);
  return &added.first->second;
}

} // namespace pegasus::software
