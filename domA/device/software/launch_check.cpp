// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/launch_check.h"

#include "domA/device/software/exec/device_limits.h"

namespace pegasus::software {
namespace {

bool within(device::Dim3 const& size, device::Dim3 const& most) {
  for (std::size_t i = 0; i < size.size(); ++i)
    if (size[i] == 0 || size[i] > most[i]) return false;
  return true;
}

} // namespace

device::Status check_launch(device::FunctionInfo const& function, device::Launch const& launch) {
  using device::Status;
  if (!within(launch.grid, grid_max) || !within(launch.block, block_max)) return Status::invalid_value;
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads > threads_per_block_max) return Status::invalid_value;
  if (threads > function.max_threads_per_block) return Status::launch_out_of_resources;
  if (launch.dynamic_shared_bytes > function.max_dynamic_shared_bytes) return Status::invalid_value;
  if (launch.parameters.size() != function.parameter_bytes) return Status::invalid_value;
  if (launch.cooperative) return Status::not_supported;
  return Status::success;
}

} // namespace pegasus::software
