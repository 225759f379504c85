// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/launch_check.h"

namespace pegasus::software {
namespace {

bool within(device::Dim3 const& size, device::Dim3 const& most) {
  for (std::size_t i = 0; i < size.size(); ++i)
    if (size[i] == 0 || size[i] > most[i]) return false;
  return true;
}

std::uint64_t count(device::Dim3 const& size) { return std::uint64_t{size[0]} * size[1] * size[2]; }

} // namespace

device::Status check_launch(device::FunctionInfo const& function, device::Launch const& launch,
                            DeviceLimits const& limits) {
  using device::Status;
  if (!within(launch.grid, max_grid) || !within(launch.block, max_block)) return Status::invalid_value;
  std::uint64_t const threads = count(launch.block);
  if (threads > max_threads_per_block) return Status::invalid_value;
  if (threads > function.max_threads_per_block) return Status::launch_out_of_resources;
  if (launch.dynamic_shared_bytes > function.max_dynamic_shared_bytes) return Status::invalid_value;
  if (launch.parameters.size() != function.parameter_bytes) return Status::invalid_value;
  if (launch.attributes.cluster.value_or(device::Dim3{1, 1, 1}) != device::Dim3{1, 1, 1})
    return Status::invalid_cluster_size;
  if (launch.cooperative &&
      count(launch.grid) > max_multiprocessors * resident_blocks(limits, threads,
                                                                 std::uint64_t{function.static_shared_bytes} +
                                                                     launch.dynamic_shared_bytes))
    return Status::cooperative_launch_too_large;
  return Status::success;
}

} // namespace pegasus::software
