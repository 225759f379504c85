// SPDX-License-Identifier: Apache-2.0
// The state that all blocks of one launch share.
#pragma once

#include "domA/device/software/exec/machine/block.h"
#include "domA/device/software/exec/machine/launch.h"

#include <string>

namespace pegasus::software {

struct LaunchState {
  Kernel const* kernel = nullptr;
  device::Launch const* launch = nullptr;
  Memory* memory = nullptr;
  DeviceHeap* heap = nullptr;
  Textures const* textures = nullptr;
  Limits const* limits = nullptr;
  std::string* text = nullptr;
  std::vector<std::byte> parameters;
  device::Address grid_workspace = 0;          // cooperative launches: see special_registers
  std::uint64_t frame_bytes = 0;               // of all functions called so far; limited
  Outcome outcome;                             // of the first fault
  alignas(32) std::array<std::byte, 32> gap{}; // for one access behind an allocation
};

// Shared memory of a block: the kernel's own, and where that begins which the system reserves.
[[nodiscard]] inline std::uint32_t own_shared_bytes(LaunchState const& state) {
  return state.kernel->dynamic_shared_offset + state.launch->dynamic_shared_bytes;
}
[[nodiscard]] inline std::uint32_t reserved_shared_at(LaunchState const& state) {
  return (own_shared_bytes(state) + 127) / 128 * 128;
}

// "kernel 'k', block [0,0,0], thread [0,0,0], PTX line 1: what".
[[nodiscard]] std::string told_of(Warp const&, Op const&, std::uint32_t lane, std::string const& what);
// Ends the launch with a diagnostic that names kernel, block, thread and PTX line. Returns
// nullptr, for handlers.
Op const* raise(Warp&, Op const&, std::uint32_t lane, device::Status, std::string const& what);
// The "[x,y,z]" of a lane's thread.
[[nodiscard]] std::array<std::uint32_t, 3> thread_index(Warp const&, std::uint32_t lane);

} // namespace pegasus::software
