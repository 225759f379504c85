// SPDX-License-Identifier: Apache-2.0
// The lanes' addresses, and rows of values at them. In the usual case all lanes are in the allocation that the op
// accessed last; this costs one check of the lowest and the highest address. In all other cases the slow paths of
// memory_access.h detect the faults. Only handlers_*.cpp include this.
#pragma once

#include "domA/device/software/exec/lanes/lanes.h"
#include "domA/device/software/exec/machine/memory_access.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

struct Reach {
  u64 lowest, highest, low_bits;
};

LANE_INLINE Reach reach_of(u64 const* at) {
  Reach r{at[0], at[0], 0};
  EACH_LANE {
    r.lowest = at[i] < r.lowest ? at[i] : r.lowest;
    r.highest = at[i] > r.highest ? at[i] : r.highest;
    r.low_bits |= at[i];
  }
  return r;
}

// The address of each lane. An inactive lane gets the address of the first active one, which is safe to use.
LANE_INLINE Reach addresses(Warp const& w, Op const& op, u64* at) {
  u64 const imm = op.imm;
  if (!op.has_base) {
    u64 const v = op.window == Window::frame ? u64{w.frame->local_base} + imm : imm;
    EACH_LANE at[i] = v;
    return {v, v, v};
  }
  if (op.narrow_base) {
    u32 const* const a = w.reg<u32>(op.a);
    u32 const add = static_cast<u32>(imm);
    EACH_LANE at[i] = static_cast<u32>(a[i] + add);
  } else {
    u64 const* const a = w.reg<u64>(op.a);
    EACH_LANE at[i] = a[i] + imm;
  }
  if (w.active != all_lanes) {
    u32 const m = w.active;
    u64 const first = at[__builtin_ctz(m)];
    EACH_LANE at[i] = (m & lane_bit[i]) != 0 ? at[i] : first;
  }
  return reach_of(at);
}

// The host's base for accesses of so many bytes, or 0: then a slow path makes them, or raises the fault.
LANE_INLINE std::uintptr_t base_within(Warp& w, Op const& op, Reach const& r, u32 bytes, bool write) {
  if ((r.low_bits & (bytes - 1)) != 0) return 0;
  Seen const& seen = w.seen[op.index];
  bool const inside = r.lowest >= seen.lo && r.highest < seen.top && bytes <= seen.top - r.highest;
  if (!inside || (write && !seen.writable)) [[unlikely]] {
    if (!remember(w, op, r.lowest, r.highest, bytes, write)) return 0;
  }
  return seen.base;
}

template <class M> [[gnu::noinline]] void gather(M* to, std::uintptr_t base, u64 const* at) {
  EACH_LANE to[i] = *reinterpret_cast<M const*>(base + at[i]);
}
template <class M>
[[gnu::noinline]] void scatter(std::uintptr_t base, u64 const* at, u32 lanes, M const* from) {
  for (u32 rest = lanes; rest != 0; rest &= rest - 1) {
    u32 const i = static_cast<u32>(__builtin_ctz(rest));
    *reinterpret_cast<M*>(base + at[i]) = from[i];
  }
}

} // namespace
} // namespace pegasus::software::PEGASUS_ISA
