// SPDX-License-Identifier: Apache-2.0
// The resources of a device of compute capability 7.5 (CUDA C++ Programming Guide, technical specifications
// per compute capability): for the profile, for launches, and for compilation.
#pragma once

#include "domA/device/device.h"
#include "domA/device/software/exec/op.h"

#include <algorithm>
#include <cstdint>

namespace pegasus::software {

inline constexpr std::uint32_t compute_capability = 75; // the newest for which nvcc 13 compiles by default

// Per launch.
inline constexpr device::Dim3 max_grid{0x7fffffff, 65535, 65535};
inline constexpr device::Dim3 max_block{1024, 1024, 64};
inline constexpr std::uint32_t max_threads_per_block = 1024;

// Per thread.
inline constexpr std::uint32_t max_registers_per_thread = 255;
inline constexpr std::uint32_t max_local_per_thread = 512 * 1024; // bytes

// Shared memory in bytes; static and dynamic together.
inline constexpr std::uint32_t shared_per_block = 48 * 1024;       // by default
inline constexpr std::uint32_t shared_per_block_optin = 64 * 1024; // with opt-in
inline constexpr std::uint32_t shared_granule = 256;

// Programs are told of as many as pegasusd says; one engine does the work of all.
inline constexpr std::uint32_t max_multiprocessors = 16;

// Per multiprocessor: resident at the same time.
inline constexpr std::uint32_t max_resident_threads = 1024;
inline constexpr std::uint32_t max_resident_blocks = 16;
inline constexpr std::uint32_t max_resident_shared = 64 * 1024;
inline constexpr std::uint32_t max_resident_registers = 64 * 1024;

// How many blocks with this number of threads and bytes of shared memory are resident on a
// multiprocessor; 0 if not even one fits. Registers are not a limit here: the host's memory has room
// for those of all resident threads. CUDA's occupancy (frontend/cuda/occupancy.h) counts them, and never
// gives a larger number.
[[nodiscard]] constexpr std::uint32_t resident_blocks(std::uint64_t threads, std::uint64_t shared_bytes) {
  if (threads == 0 || threads > max_threads_per_block || shared_bytes > max_resident_shared) return 0;
  std::uint64_t const warps = (threads + lanes_per_warp - 1) / lanes_per_warp;
  std::uint64_t blocks =
      std::min<std::uint64_t>(max_resident_blocks, max_resident_threads / lanes_per_warp / warps);
  std::uint64_t const shared = (shared_bytes + shared_granule - 1) / shared_granule * shared_granule;
  if (shared != 0) blocks = std::min(blocks, max_resident_shared / shared);
  return static_cast<std::uint32_t>(blocks);
}

} // namespace pegasus::software
