// SPDX-License-Identifier: Apache-2.0
// One block while it runs: its shared and local memory, its warps, its barriers. A Block is made once for a
// launch and started again for each block of the grid.
#pragma once

#include "domA/device/software/exec/code.h"
#include "domA/device/software/exec/kernel.h"
#include "domA/device/software/exec/memory.h"
#include "domA/device/software/exec/warp.h"

#include <string>

namespace pegasus::software {

struct LaunchState;

// The piece of memory that an op touched last: an access that stays in [lo, top) needs no look-up.
// host address = base + device address.
struct Seen {
  std::uint64_t lo = 1, top = 0;
  std::uintptr_t base = 0;
  bool writable = false;
};

struct Barrier {
  std::uint32_t arrived = 0;             // threads
  std::array<std::uint32_t, 32> lanes{}; // that arrived, by warp
  std::uint32_t expected = 0;            // 0: every thread that has not exited
  std::uint32_t count = 0;               // .red.popc
  bool all = true, any = false;
};
inline constexpr std::uint32_t barriers_per_block = 16; // PTX ISA 9.7.13.1

enum class Access : std::uint8_t { load, store, atomic };

struct Block {
  LaunchState* launch = nullptr;
  std::uint32_t index[3] = {0, 0, 0}; // %ctaid
  std::uint32_t threads = 0, live = 0;
  std::vector<Warp> warps;
  std::vector<std::byte> shared_storage;
  std::byte* shared = nullptr; // aligned
  std::uint32_t shared_bytes = 0;
  std::unique_ptr<std::byte, Frame::Free> local_storage;
  std::uint32_t local_bytes = 0; // per thread
  std::vector<Seen> seen;        // by Op::index of memory ops
  std::array<Barrier, barriers_per_block> barriers;
  std::uint32_t barriers_in_use = 0; // bits
  std::int64_t budget = 0;           // backward branches left before other blocks get a turn
};

enum class BlockEnd : std::uint8_t { done, paused, fault };

// Makes room for the kernel's blocks; false: out of memory.
[[nodiscard]] bool prepare_block(Block&, LaunchState&);
void start_block(Block&, std::uint64_t linear_index);
// Runs until every thread has exited, `budget` backward branches of its warps are done, or a fault.
[[nodiscard]] BlockEnd run_block(Block&, std::int64_t budget);
// Lets the waiting threads of every complete barrier go on.
void release_barriers(Block&);

// Slow paths of the memory handlers: each active lane by itself, through whatever window its address is in.
// The values are staged `bytes` apart. False: a fault was raised.
[[nodiscard]] bool slow_load(Warp&, Op const&, std::uint64_t const* at, std::uint32_t bytes,
                             std::byte* stage);
[[nodiscard]] bool slow_store(Warp&, Op const&, std::uint64_t const* at, std::uint32_t bytes,
                              std::byte const* stage);
// Looks for one piece of memory that holds every access in [lowest, highest + bytes); fills the op's Seen.
[[nodiscard]] bool remember(Warp&, Op const&, std::uint64_t lowest, std::uint64_t highest,
                            std::uint32_t bytes, bool write);
// Local memory: raises the fault of the first active lane whose access is out of bounds or misaligned.
Op const* local_fault(Warp&, Op const&, std::uint64_t const* at, std::uint32_t bytes, bool write);
// Host address of an atomic's operand, or null with a fault raised. `shared` says which memory it was.
[[nodiscard]] std::byte* atomic_operand(Warp&, Op const&, std::uint32_t lane, std::uint64_t at,
                                        std::uint32_t bytes, bool& shared);

// Bytes of a lane's memory through a generic address, for device functions such as printf. False: not all
// readable.
[[nodiscard]] bool read_generic(Warp&, std::uint32_t lane, std::uint64_t at, void* to, std::uint64_t bytes);
// A value in the lane's own local memory; the caller has checked the bounds.
void read_local(Warp const&, std::uint32_t lane, std::uint32_t at, void* to, std::uint32_t bytes);
void write_local(Warp&, std::uint32_t lane, std::uint32_t at, void const* from, std::uint32_t bytes);

} // namespace pegasus::software
