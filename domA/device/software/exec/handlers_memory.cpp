// SPDX-License-Identifier: Apache-2.0
// ld and st, PTX ISA 9.7.9.8 and 9.7.9.12. The usual case, all lanes in the allocation this op touched last,
// costs one check of the lowest and the highest address; anything else goes through the slow paths, which
// find the faults.
#include "domA/device/software/exec/lanes.h"
#include "domA/device/software/exec/memory_access.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

struct Reach {
  u64 lowest, highest, low_bits;
};

// Address of each lane; an inactive lane gets that of the first active one, so that it can be used without
// harm.
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
  Reach r{at[0], at[0], 0};
  EACH_LANE {
    r.lowest = at[i] < r.lowest ? at[i] : r.lowest;
    r.highest = at[i] > r.highest ? at[i] : r.highest;
    r.low_bits |= at[i];
  }
  return r;
}

// Host base for all the lanes' accesses, or 0.
LANE_INLINE std::uintptr_t base_of(Warp& w, Op const& op, Reach const& r, u32 bytes, bool write) {
  if ((r.low_bits & (bytes - 1)) != 0) return 0;
  Seen const& seen = w.seen[op.index];
  bool const inside = r.lowest >= seen.lo && r.highest < seen.top && bytes <= seen.top - r.highest;
  if (!inside || (write && !seen.writable)) [[unlikely]] {
    if (!remember(w, op, r.lowest, r.highest, bytes, write)) return 0;
  }
  return seen.base;
}

template <class M> LANE_INLINE bool contiguous(Reach const& r, u64 const* at) {
  if (r.highest - r.lowest != 31 * sizeof(M)) return false;
  u64 const first = at[0];
  u64 differs = 0;
  EACH_LANE differs |= at[i] ^ (first + u64{i} * sizeof(M));
  return differs == 0;
}

template <class M, class R> Op const* load(Warp& w, Op const& op) {
  alignas(64) u64 at[32];
  Reach const reach = addresses(w, op, at);
  R* const d = w.reg<R>(op.d);
  std::uintptr_t const base = base_of(w, op, reach, sizeof(M), false);
  if (base == 0) [[unlikely]] {
    alignas(64) std::byte stage[32 * sizeof(M)];
    if (!slow_load(w, op, at, sizeof(M), stage)) return nullptr;
    M const* const from = reinterpret_cast<M const*>(stage);
    for (u32 i = 0; i < 32; ++i)
      d[i] = (w.active & lane_bit[i]) != 0 ? static_cast<R>(from[i]) : d[i];
    return &op + 1;
  }
  if (w.active == all_lanes) {
    if (contiguous<M>(reach, at)) {
      M const* const from = reinterpret_cast<M const*>(base + at[0]);
      EACH_LANE d[i] = static_cast<R>(from[i]);
    } else {
      EACH_LANE d[i] = static_cast<R>(*reinterpret_cast<M const*>(base + at[i]));
    }
    return &op + 1;
  }
  u32 const m = w.active;
  EACH_LANE {
    R const r = static_cast<R>(*reinterpret_cast<M const*>(base + at[i]));
    d[i] = (m & lane_bit[i]) != 0 ? r : d[i];
  }
  return &op + 1;
}

// Elements of a vector: extra[k] is the register of element k.
template <class M, class R> Op const* load_vector(Warp& w, Op const& op) {
  alignas(64) u64 at[32];
  u32 const bytes = static_cast<u32>(sizeof(M)) * op.count;
  Reach const reach = addresses(w, op, at);
  std::uintptr_t const base = base_of(w, op, reach, bytes, false);
  if (base == 0) [[unlikely]] {
    alignas(64) std::byte stage[32 * 64];
    if (!slow_load(w, op, at, bytes, stage)) return nullptr;
    for (u32 k = 0; k < op.count; ++k) {
      R* const d = w.reg<R>(op.extra[k]);
      M const* const from = reinterpret_cast<M const*>(stage) + k;
      for (u32 i = 0; i < 32; ++i)
        d[i] = (w.active & lane_bit[i]) != 0 ? static_cast<R>(from[i * op.count]) : d[i];
    }
    return &op + 1;
  }
  u32 const m = w.full ? all_lanes : w.active;
  for (u32 k = 0; k < op.count; ++k) {
    R* const d = w.reg<R>(op.extra[k]);
    std::uintptr_t const from = base + k * sizeof(M);
    EACH_LANE {
      R const r = static_cast<R>(*reinterpret_cast<M const*>(from + at[i]));
      d[i] = (m & lane_bit[i]) != 0 ? r : d[i];
    }
  }
  return &op + 1;
}

template <class M, class R> Op const* store(Warp& w, Op const& op) {
  alignas(64) u64 at[32];
  Reach const reach = addresses(w, op, at);
  R const* const v = w.reg<R>(op.d);
  std::uintptr_t const base = base_of(w, op, reach, sizeof(M), true);
  if (base == 0) [[unlikely]] {
    alignas(64) M stage[32];
    EACH_LANE stage[i] = static_cast<M>(v[i]);
    return slow_store(w, op, at, sizeof(M), reinterpret_cast<std::byte const*>(stage)) ? &op + 1 : nullptr;
  }
  if (w.active == all_lanes && contiguous<M>(reach, at)) {
    M* const to = reinterpret_cast<M*>(base + at[0]);
    EACH_LANE to[i] = static_cast<M>(v[i]);
    return &op + 1;
  }
  for (u32 rest = w.active; rest != 0; rest &= rest - 1) {
    u32 const i = static_cast<u32>(__builtin_ctz(rest));
    *reinterpret_cast<M*>(base + at[i]) = static_cast<M>(v[i]);
  }
  return &op + 1;
}

template <class M, class R> Op const* store_vector(Warp& w, Op const& op) {
  alignas(64) u64 at[32];
  u32 const bytes = static_cast<u32>(sizeof(M)) * op.count;
  Reach const reach = addresses(w, op, at);
  std::uintptr_t const base = base_of(w, op, reach, bytes, true);
  if (base == 0) [[unlikely]] {
    alignas(64) std::byte stage[32 * 64];
    for (u32 k = 0; k < op.count; ++k) {
      R const* const v = w.reg<R>(op.extra[k]);
      M* const to = reinterpret_cast<M*>(stage) + k;
      for (u32 i = 0; i < 32; ++i)
        to[i * op.count] = static_cast<M>(v[i]);
    }
    return slow_store(w, op, at, bytes, stage) ? &op + 1 : nullptr;
  }
  for (u32 rest = w.active; rest != 0; rest &= rest - 1) {
    u32 const i = static_cast<u32>(__builtin_ctz(rest));
    for (u32 k = 0; k < op.count; ++k)
      *reinterpret_cast<M*>(base + at[i] + k * sizeof(M)) = static_cast<M>(w.reg<R>(op.extra[k])[i]);
  }
  return &op + 1;
}

// Local memory is interleaved by 32-bit words among the lanes of a warp, as on the hardware: the usual
// access, every lane at the same offset, is one row. Aligned values of up to four bytes never straddle words.
LANE_INLINE std::byte* word(Warp const& w, u64 at, u32 lane) {
  return w.local + (at >> 2) * 128 + lane * 4 + (at & 3);
}
template <class M> LANE_INLINE M get_local(Warp const& w, u64 at, u32 lane) {
  if constexpr (sizeof(M) == 8) {
    u64 const low = *reinterpret_cast<u32 const*>(word(w, at, lane));
    u64 const high = *reinterpret_cast<u32 const*>(word(w, at + 4, lane));
    return static_cast<M>(low | high << 32);
  } else {
    return *reinterpret_cast<M const*>(word(w, at, lane));
  }
}
template <class M> LANE_INLINE void put_local(Warp const& w, u64 at, u32 lane, M v) {
  if constexpr (sizeof(M) == 8) {
    *reinterpret_cast<u32*>(word(w, at, lane)) = static_cast<u32>(v);
    *reinterpret_cast<u32*>(word(w, at + 4, lane)) = static_cast<u32>(v >> 32);
  } else {
    *reinterpret_cast<M*>(word(w, at, lane)) = v;
  }
}
LANE_INLINE bool local_inside(Warp const& w, Reach const& r, u32 bytes) {
  u32 const size = w.local_bytes;
  return (r.low_bits & (bytes - 1)) == 0 && r.highest < size && bytes <= size - r.highest;
}
LANE_INLINE u32 element(Op const& op, u32 k) { return op.extra != nullptr ? op.extra[k] : op.d; }

template <class M, class R> Op const* load_local(Warp& w, Op const& op) {
  alignas(64) u64 at[32];
  Reach const reach = addresses(w, op, at);
  u32 const bytes = static_cast<u32>(sizeof(M)) * op.count;
  if (!local_inside(w, reach, bytes)) return local_fault(w, op, at, bytes, false);
  u32 const m = w.full ? all_lanes : w.active;
  for (u32 k = 0; k < op.count; ++k) {
    R* const d = w.reg<R>(element(op, k));
    u64 const skip = k * sizeof(M);
    if (reach.lowest == reach.highest) {
      u64 const same = reach.lowest + skip;
      EACH_LANE {
        R const r = static_cast<R>(get_local<M>(w, same, i));
        d[i] = (m & lane_bit[i]) != 0 ? r : d[i];
      }
    } else {
      EACH_LANE {
        R const r = static_cast<R>(get_local<M>(w, at[i] + skip, i));
        d[i] = (m & lane_bit[i]) != 0 ? r : d[i];
      }
    }
  }
  return &op + 1;
}

template <class M, class R> Op const* store_local(Warp& w, Op const& op) {
  alignas(64) u64 at[32];
  Reach const reach = addresses(w, op, at);
  u32 const bytes = static_cast<u32>(sizeof(M)) * op.count;
  if (!local_inside(w, reach, bytes)) return local_fault(w, op, at, bytes, true);
  for (u32 k = 0; k < op.count; ++k) {
    R const* const v = w.reg<R>(element(op, k));
    u64 const skip = k * sizeof(M);
    if (w.active == all_lanes && reach.lowest == reach.highest) {
      u64 const same = reach.lowest + skip;
      EACH_LANE put_local<M>(w, same, i, static_cast<M>(v[i]));
      continue;
    }
    for (u32 rest = w.active; rest != 0; rest &= rest - 1) {
      u32 const i = static_cast<u32>(__builtin_ctz(rest));
      put_local<M>(w, at[i] + skip, i, static_cast<M>(v[i]));
    }
  }
  return &op + 1;
}

#define LOADS(m, M, r, R)                                                                                    \
  {"ld." m "." r, load<M, R>}, {"ld.v." m "." r, load_vector<M, R>}, { "ld.local." m "." r, load_local<M, R> }
#define STORES(m, M, r, R)                                                                                   \
  {"st." m "." r, store<M, R>}, {"st.v." m "." r, store_vector<M, R>}, {                                     \
    "st.local." m "." r, store_local<M, R>                                                                   \
  }

constexpr Entry entries[] = {
    LOADS("u8", u8, "b16", u16),    LOADS("u8", u8, "b32", u32),    LOADS("u8", u8, "b64", u64),
    LOADS("s8", s8, "b16", u16),    LOADS("s8", s8, "b32", u32),    LOADS("s8", s8, "b64", u64),
    LOADS("u16", u16, "b16", u16),  LOADS("u16", u16, "b32", u32),  LOADS("u16", u16, "b64", u64),
    LOADS("s16", s16, "b32", u32),  LOADS("s16", s16, "b64", u64),  LOADS("u32", u32, "b32", u32),
    LOADS("u32", u32, "b64", u64),  LOADS("s32", s32, "b64", u64),  LOADS("u64", u64, "b64", u64),
    STORES("u8", u8, "b16", u16),   STORES("u8", u8, "b32", u32),   STORES("u8", u8, "b64", u64),
    STORES("u16", u16, "b16", u16), STORES("u16", u16, "b32", u32), STORES("u16", u16, "b64", u64),
    STORES("u32", u32, "b32", u32), STORES("u32", u32, "b64", u64), STORES("u64", u64, "b64", u64),
};

} // namespace

Table memory_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
