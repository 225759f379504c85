// SPDX-License-Identifier: Apache-2.0
// One running block: its shared and local memory, its warps, its barriers. A Block is created once for a
// launch and restarted for each block of the grid.
#pragma once

#include "domA/device/software/exec/code.h"
#include "domA/device/software/exec/kernel.h"
#include "domA/device/software/exec/machine/memory_access.h"
#include "domA/device/software/exec/machine/warp.h"
#include "domA/device/software/exec/memory/memory.h"

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace pegasus::software {

struct LaunchState;

struct Barrier {
  std::uint32_t arrived = 0;             // threads
  std::array<std::uint32_t, 32> lanes{}; // that have arrived, by warp
  std::uint32_t expected = 0;            // 0: every thread that has not exited
  std::uint32_t count = 0;               // .red.popc
  bool all = true, any = false;
};
inline constexpr std::uint32_t barriers_per_block = 16; // PTX ISA 9.7.13.1

struct Block {
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };

  LaunchState* launch = nullptr;
  std::uint32_t index[3] = {0, 0, 0}; // %ctaid
  std::uint32_t threads = 0, live = 0;
  std::vector<Warp> warps;
  std::vector<std::unique_ptr<Frame>> frames; // of the warps
  std::vector<std::byte> shared_storage;
  std::byte* shared = nullptr; // aligned
  std::uint32_t shared_bytes = 0;
  std::unique_ptr<std::byte, Free> local_storage;
  std::uint32_t local_bytes = 0; // per thread
  std::vector<Seen> seen;        // by Op::index of memory ops
  std::array<Barrier, barriers_per_block> barriers;
  std::uint32_t barriers_in_use = 0; // bits
  std::int64_t budget = 0;           // backward branches left before other blocks get a time slice
  std::int64_t warp_budget = 0;      // the maximum of them for one time slice of a warp
};

enum class BlockEnd : std::uint8_t { done, paused, fault };

// Allocates the memory for the kernel's blocks. Returns false if memory is exhausted.
[[nodiscard]] bool prepare_block(Block&, LaunchState&);
void start_block(Block&, std::uint64_t linear_index);
// Runs until every thread has exited, its warps have made `budget` backward branches, or a fault.
[[nodiscard]] BlockEnd run_block(Block&, std::int64_t budget);
// Continues the waiting threads of every complete barrier.
void release_barriers(Block&);

} // namespace pegasus::software
