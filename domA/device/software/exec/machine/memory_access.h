// SPDX-License-Identifier: Apache-2.0
// Functions of the executor for the loops over the lanes' memory accesses: the location of memory, and the
// slow paths. Like op.h without library headers.
#pragma once

#include "domA/device/software/exec/op.h"

#include <cstddef>

namespace pegasus::software {

// The memory that an op accessed last: an access within [lo, top) needs no look-up. Host address = base
// + device address.
struct Seen {
  std::uint64_t lo = 1, top = 0;
  std::uintptr_t base = 0;
  bool writable = false;
};

enum class Access : std::uint8_t { load, store, atomic };

// The address of a lane, in the op's window.
[[nodiscard]] std::uint64_t address_of(Warp const&, Op const&, std::uint32_t lane);
// Slow paths of the memory handlers: each active lane by itself, through the window of its address. The
// values are staged `bytes` apart. Return false if a fault was raised.
[[nodiscard]] bool slow_load(Warp&, Op const&, std::uint64_t const* at, std::uint32_t bytes,
                             std::byte* stage);
[[nodiscard]] bool slow_store(Warp&, Op const&, std::uint64_t const* at, std::uint32_t bytes,
                              std::byte const* stage);
// Looks for one piece of memory that contains every access in [lowest, highest + bytes); fills the op's Seen.
[[nodiscard]] bool remember(Warp&, Op const&, std::uint64_t lowest, std::uint64_t highest,
                            std::uint32_t bytes, bool write);
// Local memory: raises the fault of the first active lane whose access is out of bounds or misaligned.
Op const* local_fault(Warp&, Op const&, std::uint64_t const* at, std::uint32_t bytes, bool write);
// Where an atomic's operand is. The program may access one in host memory at the same time.
enum class OperandIn : std::uint8_t { device, shared, host };
// Address of an atomic's operand in this process; nullptr if a fault was raised.
[[nodiscard]] std::byte* atomic_operand(Warp&, Op const&, std::uint32_t lane, std::uint64_t at,
                                        std::uint32_t bytes, OperandIn& in);

// Reads bytes of a lane's memory through a generic address, for device functions such as printf. Returns
// false if not all of them are readable.
[[nodiscard]] bool read_generic(Warp&, std::uint32_t lane, std::uint64_t at, void* to, std::uint64_t bytes);
// A value in the lane's own local memory; the caller has checked the bounds.
void read_local(Warp const&, std::uint32_t lane, std::uint32_t at, void* to, std::uint32_t bytes);
void write_local(Warp&, std::uint32_t lane, std::uint32_t at, void const* from, std::uint32_t bytes);

} // namespace pegasus::software
