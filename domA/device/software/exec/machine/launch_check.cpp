// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/machine/launch_check.h"

#include "domA/device/software/exec/device_limits.h"

#include <fmt/format.h>

namespace pegasus::software {
namespace {

bool exceeds(device::Dim3 const& size, device::Dim3 const& most) {
  return size[0] > most[0] || size[1] > most[1] || size[2] > most[2];
}

std::string text_of(device::Dim3 const& size) {
  return fmt::format("{} x {} x {}", size[0], size[1], size[2]);
}

Outcome check_shape(Kernel const& kernel, device::Launch const& launch) {
  using device::Status;
  auto const& grid = launch.grid;
  auto const& block = launch.block;
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0 || block[0] == 0 || block[1] == 0 || block[2] == 0)
    return refusal(kernel, Status::invalid_value, "a dimension of the grid or the block is zero");
  if (exceeds(grid, max_grid))
    return refusal(kernel, Status::invalid_value, "the grid is larger than " + text_of(max_grid));
  if (exceeds(block, max_block))
    return refusal(kernel, Status::invalid_value, "the block is larger than " + text_of(max_block));
  std::uint32_t const threads = block[0] * block[1] * block[2];
  if (threads > kernel.info.max_threads_per_block)
    return refusal(
        kernel, Status::invalid_value,
        fmt::format("{} threads in a block; at most {} may be", threads, kernel.info.max_threads_per_block));
  std::uint32_t const* const required = kernel.required_threads;
  if (required[0] != 0 && (block[0] != required[0] || block[1] != required[1] || block[2] != required[2]))
    return refusal(
        kernel, Status::invalid_value,
        fmt::format("the block must be {} x {} x {} (.reqntid)", required[0], required[1], required[2]));
  return {};
}

} // namespace

Outcome refusal(Kernel const& kernel, device::Status status, std::string const& what) {
  return {status, fmt::format("kernel '{}': {}", kernel.name, what)};
}

Outcome check(Kernel const& kernel, device::Launch const& launch, Limits const& limits) {
  using device::Status;
  Outcome outcome = check_shape(kernel, launch);
  if (outcome.status != Status::success) return outcome;
  std::uint32_t const most_shared = limits.device.shared_per_block_optin;
  if (launch.dynamic_shared_bytes > most_shared ||
      kernel.static_shared_bytes + launch.dynamic_shared_bytes > most_shared)
    return refusal(kernel, Status::invalid_value,
                   fmt::format("{} + {} bytes of shared memory; at most {} may be",
                               kernel.static_shared_bytes, launch.dynamic_shared_bytes, most_shared));
  if (launch.parameters.size() != kernel.info.parameter_bytes)
    return refusal(kernel, Status::invalid_value,
                   fmt::format("{} bytes of parameters; it takes {}", launch.parameters.size(),
                               kernel.info.parameter_bytes));
  std::uint64_t const threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  std::uint64_t const local = local_bytes_of(kernel, limits);
  if (local > max_local_bytes / ((threads + 31) / 32 * 32))
    return refusal(kernel, Status::launch_out_of_resources,
                   fmt::format("{} bytes of local memory for each of {} threads", local, threads));
  return {};
}

} // namespace pegasus::software
