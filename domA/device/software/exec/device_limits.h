// SPDX-License-Identifier: Apache-2.0
// The resources of the device (CUDA C++ Programming Guide, technical specifications per compute capability): for the
// profile, for launches, and for compilation.
#pragma once

#include "domA/device/capabilities.h"
#include "domA/device/device.h"
#include "domA/device/software/exec/op.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace pegasus::software {

// Shared memory of a block that the system reserves, and a kernel may use: compute capability 8.0.
inline constexpr std::uint32_t reserved_shared_bytes = 1024;

// What differs between the compute capabilities.
struct DeviceLimits {
  std::uint32_t compute_capability;
  // Shared memory in bytes; static and dynamic together.
  std::uint32_t shared_per_block_optin;
  std::uint32_t shared_reserved_per_block; // for the system
  std::uint32_t shared_granule;
  // Per multiprocessor: resident at the same time.
  std::uint32_t resident_threads, resident_blocks, resident_shared;
};
inline constexpr std::array<DeviceLimits, device::capabilities.size()> device_limits{{
    {75, 64 * 1024, 0, 256, 1024, 16, 64 * 1024},
    {80, 163 * 1024, reserved_shared_bytes, 128, 2048, 32, 164 * 1024},
}};
static_assert(std::ranges::equal(device_limits, device::capabilities, {}, &DeviceLimits::compute_capability,
                                 &device::Capability::number));

// Those of the default for a compute capability that the accelerator cannot have.
[[nodiscard]] constexpr DeviceLimits const& device_limits_of(std::uint32_t compute_capability) {
  auto const* const found =
      std::ranges::find(device_limits, compute_capability, &DeviceLimits::compute_capability);
  return found == device_limits.end() ? device_limits.front() : *found;
}

// Per launch.
inline constexpr device::Dim3 max_grid{0x7fffffff, 65535, 65535};
inline constexpr device::Dim3 max_block{1024, 1024, 64};
inline constexpr std::uint32_t max_threads_per_block = 1024;

// Per thread.
inline constexpr std::uint32_t max_registers_per_thread = 255;
inline constexpr std::uint32_t max_local_per_thread = 512 * 1024; // bytes

// Shared memory in bytes without opt-in; static and dynamic together.
inline constexpr std::uint32_t shared_per_block = 48 * 1024;

// Programs are told of as many as pegasusd says; one engine does the work of all.
inline constexpr std::uint32_t max_multiprocessors = 16;

// Per multiprocessor.
inline constexpr std::uint32_t max_resident_registers = 64 * 1024;

// How many blocks with this number of threads and bytes of shared memory are resident on a
// multiprocessor; 0 if not even one fits. Registers are not a limit here: the host's memory has room
// for those of all resident threads. CUDA's occupancy (frontend/cuda/occupancy.h) counts them, and never
// gives a larger number.
[[nodiscard]] constexpr std::uint32_t resident_blocks(DeviceLimits const& limits, std::uint64_t threads,
                                                      std::uint64_t shared_bytes) {
  if (threads == 0 || threads > max_threads_per_block || shared_bytes > limits.shared_per_block_optin)
    return 0;
  std::uint64_t const warps = (threads + lanes_per_warp - 1) / lanes_per_warp;
  std::uint64_t blocks =
      std::min<std::uint64_t>(limits.resident_blocks, limits.resident_threads / lanes_per_warp / warps);
  std::uint64_t const granule = limits.shared_granule;
  std::uint64_t const shared =
      (shared_bytes + limits.shared_reserved_per_block + granule - 1) / granule * granule;
  if (shared != 0) blocks = std::min(blocks, limits.resident_shared / shared);
  return static_cast<std::uint32_t>(blocks);
}

} // namespace pegasus::software
