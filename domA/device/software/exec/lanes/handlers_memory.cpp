// SPDX-License-Identifier: Apache-2.0
// ld and st, PTX ISA 9.7.9.8 and 9.7.9.12.
#include "domA/device/software/exec/lanes/lane_memory.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

// The usual case: all lanes are active and their accesses are adjacent. Returns the host address, or 0.
[[gnu::noinline]] std::uintptr_t row_of(Warp const& w, Op const& op, u32 bytes, bool write) {
  if (w.active != all_lanes || !op.has_base || op.narrow_base) return 0;
  u64 const* const a = w.reg<u64>(op.a);
  u64 const first = a[0];
  if (a[31] - first != u64{31} * bytes) return 0;
  u64 differs = 0;
  EACH_LANE differs |= a[i] ^ (first + u64{i} * bytes);
  u64 const from = first + op.imm;
  Seen const& seen = w.seen[op.index];
  bool const inside = from >= seen.lo && from < seen.top && 32 * bytes <= seen.top - from;
  return differs == 0 && inside && (seen.writable || !write) && (from & (bytes - 1)) == 0 ? seen.base + from
                                                                                          : 0;
}

// The other cases: fills the address of each lane, and returns the host's base for all of them, or 0.
[[gnu::noinline]] std::uintptr_t base_of(Warp& w, Op const& op, u64* at, u32 element, bool write) {
  Reach const r = addresses(w, op, at);
  return base_within(w, op, r, element * op.count, write);
}

// An access has two steps: between memory and a row of M, and between that row and registers of R.
template <class M, class R> [[gnu::noinline]] void extend(R* d, u32 m, M const* from) {
  if (m == all_lanes) {
    EACH_LANE d[i] = static_cast<R>(from[i]);
  } else {
    EACH_LANE d[i] = (m & lane_bit[i]) != 0 ? static_cast<R>(from[i]) : d[i];
  }
}
template <class M, class R> [[gnu::noinline]] void truncate(M* to, R const* v) {
  EACH_LANE to[i] = static_cast<M>(v[i]);
}
// Uses the registers themselves if they are as wide as the memory.
template <class M, class R> LANE_INLINE M const* truncated(R const* v, M* stage) {
  if constexpr (sizeof(M) == sizeof(R)) return v;
  truncate<M, R>(stage, v);
  return stage;
}
LANE_INLINE u32 written(Warp const& w) { return w.full ? all_lanes : w.active; }

template <class M, class R> [[gnu::noinline]] Op const* load_scattered(Warp& w, Op const& op) {
  alignas(64) u64 at[32];
  R* const d = w.reg<R>(op.d);
  u32 const m = w.active;
  std::uintptr_t const base = base_of(w, op, at, sizeof(M), false);
  if (base == 0) {
    alignas(64) M stage[32];
    if (!slow_load(w, op, at, sizeof(M), reinterpret_cast<std::byte*>(stage))) return nullptr;
    extend<M, R>(d, m, stage);
    return &op + 1;
  }
  if (m == all_lanes) {
    EACH_LANE d[i] = static_cast<R>(*reinterpret_cast<M const*>(base + at[i]));
  } else {
    EACH_LANE {
      R const r = static_cast<R>(*reinterpret_cast<M const*>(base + at[i]));
      d[i] = (m & lane_bit[i]) != 0 ? r : d[i];
    }
  }
  return &op + 1;
}
template <class M, class R> Op const* load(Warp& w, Op const& op) {
  std::uintptr_t const row = row_of(w, op, sizeof(M), false);
  if (row == 0) return load_scattered<M, R>(w, op);
  M const* const from = reinterpret_cast<M const*>(row);
  R* const d = w.reg<R>(op.d);
  EACH_LANE d[i] = static_cast<R>(from[i]);
  return &op + 1;
}

// Elements of a vector: extra[k] is the register of element k.
template <class M, class R> Op const* load_vector(Warp& w, Op const& op) {
  alignas(64) u64 at[32];
  alignas(64) std::byte slow[32 * 64];
  alignas(64) M stage[32];
  std::uintptr_t const base = base_of(w, op, at, sizeof(M), false);
  if (base == 0 && !slow_load(w, op, at, static_cast<u32>(sizeof(M)) * op.count, slow)) return nullptr;
  // The slow path stages values for active lanes only: the other entries are uninitialized host memory.
  u32 const lanes = base != 0 ? written(w) : w.active;
  for (u32 k = 0; k < op.count; ++k) {
    if (base != 0)
      gather<M>(stage, base + k * sizeof(M), at);
    else
      for (u32 i = 0; i < 32; ++i)
        stage[i] = reinterpret_cast<M const*>(slow)[i * op.count + k];
    extend<M, R>(w.reg<R>(op.extra[k]), lanes, stage);
  }
  return &op + 1;
}

template <class M, class R> [[gnu::noinline]] Op const* store_scattered(Warp& w, Op const& op) {
  alignas(64) u64 at[32];
  alignas(64) M stage[32];
  std::uintptr_t const base = base_of(w, op, at, sizeof(M), true);
  M const* const from = truncated<M, R>(w.reg<R>(op.d), stage);
  if (base != 0)
    scatter<M>(base, at, w.active, from);
  else if (!slow_store(w, op, at, sizeof(M), reinterpret_cast<std::byte const*>(from)))
    return nullptr;
  return &op + 1;
}
template <class M, class R> Op const* store(Warp& w, Op const& op) {
  std::uintptr_t const row = row_of(w, op, sizeof(M), true);
  if (row == 0) return store_scattered<M, R>(w, op);
  M* const to = reinterpret_cast<M*>(row);
  R const* const v = w.reg<R>(op.d);
  EACH_LANE to[i] = static_cast<M>(v[i]);
  return &op + 1;
}

template <class M, class R> Op const* store_vector(Warp& w, Op const& op) {
  alignas(64) u64 at[32];
  alignas(64) std::byte slow[32 * 64];
  alignas(64) M stage[32];
  std::uintptr_t const base = base_of(w, op, at, sizeof(M), true);
  for (u32 k = 0; k < op.count; ++k) {
    M const* const from = truncated<M, R>(w.reg<R>(op.extra[k]), stage);
    if (base != 0)
      scatter<M>(base + k * sizeof(M), at, w.active, from);
    else
      for (u32 i = 0; i < 32; ++i)
        reinterpret_cast<M*>(slow)[i * op.count + k] = from[i];
  }
  bool const done = base != 0 || slow_store(w, op, at, static_cast<u32>(sizeof(M)) * op.count, slow);
  return done ? &op + 1 : nullptr;
}

// Local memory is interleaved by 32-bit words among the lanes of a warp, as on the hardware: the
// usual access, with every lane at the same offset, is one row. Aligned values of up to four bytes
// never straddle words.
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

// The lanes' addresses. `at` is not filled if all are at the same offset.
LANE_INLINE bool same(Reach const& r) { return r.lowest == r.highest; }
[[gnu::noinline]] Reach scattered(Warp const& w, Op const& op, u64* at) { return addresses(w, op, at); }
LANE_INLINE Reach local_addresses(Warp const& w, Op const& op, u64* at) {
  if (op.has_base) return scattered(w, op, at);
  u64 const v = op.window == Window::frame ? u64{w.frame->local_base} + op.imm : op.imm;
  return {v, v, v};
}
[[gnu::noinline]] Op const* outside(Warp& w, Op const& op, u32 bytes, bool write) {
  alignas(64) u64 at[32];
  addresses(w, op, at);
  return local_fault(w, op, at, bytes, write);
}

// One element of every lane, `skip` bytes behind the lanes' addresses: returns a row of memory itself, or its
// values in `to`.
template <class M>
[[gnu::noinline]] M const* get_row(M* to, Warp const& w, Reach const& r, u64 const* at, u64 skip) {
  if (same(r)) {
    u64 const offset = r.lowest + skip;
    if constexpr (sizeof(M) == 4) return reinterpret_cast<M const*>(word(w, offset, 0));
    EACH_LANE to[i] = get_local<M>(w, offset, i);
  } else {
    EACH_LANE to[i] = get_local<M>(w, at[i] + skip, i);
  }
  return to;
}
template <class M>
[[gnu::noinline]] void put_row(Warp const& w, Reach const& r, u64 const* at, u64 skip, M const* from) {
  u64 const offset = r.lowest + skip;
  if constexpr (sizeof(M) == 4)
    if (same(r)) return extend<M, M>(reinterpret_cast<M*>(word(w, offset, 0)), w.active, from);
  if (w.active == all_lanes && same(r)) {
    EACH_LANE put_local<M>(w, offset, i, from[i]);
    return;
  }
  for (u32 rest = w.active; rest != 0; rest &= rest - 1) {
    u32 const i = static_cast<u32>(__builtin_ctz(rest));
    put_local<M>(w, same(r) ? offset : at[i] + skip, i, from[i]);
  }
}

template <class M, class R> Op const* load_local(Warp& w, Op const& op) {
  alignas(64) u64 at[32];
  alignas(64) M stage[32];
  Reach const reach = local_addresses(w, op, at);
  u32 const bytes = static_cast<u32>(sizeof(M)) * op.count;
  if (!local_inside(w, reach, bytes)) return outside(w, op, bytes, false);
  for (u32 k = 0; k < op.count; ++k) {
    M const* const row = get_row<M>(stage, w, reach, at, k * sizeof(M));
    extend<M, R>(w.reg<R>(element(op, k)), written(w), row);
  }
  return &op + 1;
}

template <class M, class R> Op const* store_local(Warp& w, Op const& op) {
  alignas(64) u64 at[32];
  alignas(64) M stage[32];
  Reach const reach = local_addresses(w, op, at);
  u32 const bytes = static_cast<u32>(sizeof(M)) * op.count;
  if (!local_inside(w, reach, bytes)) return outside(w, op, bytes, true);
  for (u32 k = 0; k < op.count; ++k)
    put_row<M>(w, reach, at, k * sizeof(M), truncated<M, R>(w.reg<R>(element(op, k)), stage));
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
