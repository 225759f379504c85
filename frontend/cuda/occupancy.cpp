// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/occupancy.h"

#include <algorithm>
#include <limits>

namespace pegasus::driver {
namespace {

constexpr int register_unit = 256; // per warp
constexpr int partitions = 4;      // of a multiprocessor, since compute capability 5.0

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

std::uint64_t shared_unit(SmLimits const& limits) { return limits.compute_major >= 8 ? 128 : 256; }

int blocks_by_registers(SmLimits const& limits, KernelNeeds const& kernel, int warps) {
  if (kernel.registers <= 0) return std::numeric_limits<int>::max();
  auto const per_warp = static_cast<int>(round_up(
      static_cast<std::uint64_t>(kernel.registers) * static_cast<unsigned>(limits.warp_size), register_unit));
  auto const warps_allocated = static_cast<int>(round_up(static_cast<unsigned>(warps), partitions));
  if (std::int64_t{per_warp} * warps_allocated > limits.registers_per_block) return 0;
  return limits.registers / partitions / per_warp * partitions / warps;
}

int blocks_by_shared(SmLimits const& limits, std::uint64_t bytes) {
  std::uint64_t const rounded = round_up(bytes + limits.reserved_shared_per_block, shared_unit(limits));
  if (rounded == 0) return std::numeric_limits<int>::max();
  return static_cast<int>(
      std::min<std::uint64_t>(limits.shared_bytes / rounded, std::numeric_limits<int>::max()));
}

} // namespace

SmLimits limits_of(Channel const& channel) {
  auto const get = [&](CUdevice_attribute number, int most = std::numeric_limits<int>::max()) {
    return std::clamp(attribute(channel, number), 0, most);
  };
  // Above the limits of any device. With these, and registers as needs_of() bounds them,
  // no product overflows.
  constexpr int max_threads = 1 << 16;
  constexpr int max_blocks = 1 << 12;
  constexpr int max_lanes = 1 << 10;
  SmLimits limits;
  limits.compute_major = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  limits.warp_size = std::max(get(CU_DEVICE_ATTRIBUTE_WARP_SIZE, max_lanes), 1);
  limits.threads_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, max_threads);
  limits.threads = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, max_threads);
  limits.blocks = get(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, max_blocks);
  limits.registers = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  limits.registers_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  limits.shared_bytes = static_cast<unsigned>(get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
  limits.reserved_shared_per_block =
      static_cast<unsigned>(get(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK));
  return limits;
}

KernelNeeds needs_of(Function const& function) {
  auto const bounded = [](std::uint32_t n) {
    return static_cast<int>(std::min<std::uint32_t>(n, std::numeric_limits<int>::max() / 1024));
  };
  return {bounded(function.info.max_threads_per_block), bounded(function.info.registers),
          function.info.static_shared_bytes};
}

int active_blocks(SmLimits const& limits, KernelNeeds const& kernel, int block_threads,
                  std::uint64_t dynamic_shared) {
  if (block_threads <= 0 || block_threads > limits.threads_per_block ||
      block_threads > kernel.max_threads_per_block)
    return 0;
  int const warps = (block_threads + limits.warp_size - 1) / limits.warp_size;
  int const by_warps = limits.threads / limits.warp_size / warps;
  int const by_registers = blocks_by_registers(limits, kernel, warps);
  // Sizes above a multiprocessor's limits are refused before they can overflow.
  bool const fits = dynamic_shared <= limits.shared_bytes && kernel.static_shared <= limits.shared_bytes;
  int const by_shared = fits ? blocks_by_shared(limits, kernel.static_shared + dynamic_shared) : 0;
  return std::min({limits.blocks, by_warps, by_registers, by_shared});
}

std::uint64_t available_dynamic_shared(SmLimits const& limits, KernelNeeds const& kernel, int blocks,
                                       std::uint64_t max_per_block) {
  if (blocks <= 0) return 0;
  std::uint64_t const unit = shared_unit(limits);
  std::uint64_t const share = limits.shared_bytes / static_cast<unsigned>(blocks) / unit * unit;
  std::uint64_t const taken = kernel.static_shared + limits.reserved_shared_per_block;
  std::uint64_t const room = share > taken ? share - taken : 0;
  std::uint64_t const allowed =
      max_per_block > kernel.static_shared ? max_per_block - kernel.static_shared : 0;
  return std::min(room, allowed);
}

} // namespace pegasus::driver
