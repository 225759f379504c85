// SPDX-License-Identifier: Apache-2.0
// How handlers loop over the 32 lanes. Included by the handlers_*.cpp files only, which are compiled once per
// instruction set: everything here is in an unnamed namespace or always inlined, so that code for a newer
// instruction set can never be linked into the path of an older machine.
#pragma once

#include "domA/device/software/exec/lane_tables.h"
#include "domA/device/software/exec/warp.h"

#include <cfenv>
#include <cstdint>

#ifndef PEGASUS_ISA
#define PEGASUS_ISA baseline
#endif

// A destination register is the same as a source or apart from it, never overlapping: iterations are
// independent.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" // some loops cannot be vectorised, none can under sanitizers
#define EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (std::uint32_t i = 0; i < 32; ++i)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (std::uint32_t i = 0; i < 32; ++i)
#endif
#define LANE_INLINE [[gnu::always_inline]] inline

namespace pegasus::software::PEGASUS_ISA {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ using u128 = unsigned __int128;
__extension__ using s128 = __int128;

alignas(64) constexpr u32 lane_bit[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

template <class To, class From> LANE_INLINE To as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

// 32 truth values (0 or 0xff) to a mask. By built-in functions: <immintrin.h> would be most of what the
// compiler reads.
LANE_INLINE u32 mask_of(u8 const* truth) {
#if defined(__AVX2__)
  using Bytes [[gnu::vector_size(32), gnu::may_alias]] = char;
  return static_cast<u32>(__builtin_ia32_pmovmskb256(*reinterpret_cast<Bytes const*>(truth)));
#elif defined(__SSE2__)
  using Bytes [[gnu::vector_size(16), gnu::may_alias]] = char;
  auto const half = [truth](int at) {
    return static_cast<u32>(__builtin_ia32_pmovmskb128(*reinterpret_cast<Bytes const*>(truth + at)));
  };
  return half(0) | half(16) << 16;
#else
  u32 mask = 0;
  for (u32 i = 0; i < 32; ++i)
    mask |= (truth[i] & 1u) << i;
  return mask;
#endif
}

LANE_INLINE void set_pred(Warp& w, u32 offset, u32 mask) {
  u32& p = w.pred(offset);
  p = (p & ~w.active) | (mask & w.active);
}

// The rounding mode of the host while a handler's loop runs. Values come from memory and go to memory inside
// the scope, and the barriers keep the loop between them.
class RoundScope {
public:
  LANE_INLINE explicit RoundScope(Round round) : round_(round) {
    if (round_ != Round::nearest) [[unlikely]] {
      int const mode = round_ == Round::zero   ? FE_TOWARDZERO
                       : round_ == Round::down ? FE_DOWNWARD
                                               : FE_UPWARD;
      fesetround(mode);
      asm volatile("" ::: "memory");
    }
  }
  LANE_INLINE ~RoundScope() {
    if (round_ != Round::nearest) [[unlikely]] {
      asm volatile("" ::: "memory");
      fesetround(FE_TONEAREST);
    }
  }
  RoundScope(RoundScope const&) = delete;
  RoundScope& operator=(RoundScope const&) = delete;

private:
  Round round_;
};

// The values must be in memory here: nothing that computes them may move past a change of the rounding mode.
LANE_INLINE void hold(void const* values) { asm volatile("" : : "r"(values) : "memory"); }

// Results of the active lanes to d. GCC 12 has no pattern for a masked 16-bit minimum with memory operands
// and stops with an internal error, so 16-bit results are kept apart from what computed them.
template <class D> LANE_INLINE void blend(u32 m, D* d, D const* r) {
  if constexpr (sizeof(D) == 2) hold(r);
  EACH_LANE d[i] = (m & lane_bit[i]) != 0 ? r[i] : d[i];
}

// d = F(a...): one to four sources. The usual case, every lane and rounding to nearest, is a leaf function;
// the rest is kept out of line so that the leaf needs no stack frame.
template <class F, class D, class A> [[gnu::noinline]] Op const* map1_rare(Warp& w, Op const& op) {
  D* const d = w.reg<D>(op.d);
  A const* const a = w.reg<A>(op.a);
  alignas(64) D r[32];
  {
    RoundScope const scope(op.round);
    EACH_LANE r[i] = F::apply(a[i]);
    hold(r);
  }
  blend(w.full ? all_lanes : w.active, d, r);
  return &op + 1;
}
template <class F, class D, class A> Op const* map1(Warp& w, Op const& op) {
  if (!w.full || op.round != Round::nearest) return map1_rare<F, D, A>(w, op);
  D* const d = w.reg<D>(op.d);
  A const* const a = w.reg<A>(op.a);
  EACH_LANE d[i] = F::apply(a[i]);
  return &op + 1;
}

template <class F, class D, class A, class B> [[gnu::noinline]] Op const* map2_rare(Warp& w, Op const& op) {
  D* const d = w.reg<D>(op.d);
  A const* const a = w.reg<A>(op.a);
  B const* const b = w.reg<B>(op.b);
  alignas(64) D r[32];
  {
    RoundScope const scope(op.round);
    EACH_LANE r[i] = F::apply(a[i], b[i]);
    hold(r);
  }
  blend(w.full ? all_lanes : w.active, d, r);
  return &op + 1;
}
template <class F, class D, class A, class B> Op const* map2(Warp& w, Op const& op) {
  if (!w.full || op.round != Round::nearest) return map2_rare<F, D, A, B>(w, op);
  D* const d = w.reg<D>(op.d);
  A const* const a = w.reg<A>(op.a);
  B const* const b = w.reg<B>(op.b);
  EACH_LANE d[i] = F::apply(a[i], b[i]);
  return &op + 1;
}

template <class F, class D, class A, class B, class C>
[[gnu::noinline]] Op const* map3_rare(Warp& w, Op const& op) {
  D* const d = w.reg<D>(op.d);
  A const* const a = w.reg<A>(op.a);
  B const* const b = w.reg<B>(op.b);
  C const* const c = w.reg<C>(op.c);
  alignas(64) D r[32];
  {
    RoundScope const scope(op.round);
    EACH_LANE r[i] = F::apply(a[i], b[i], c[i]);
    hold(r);
  }
  blend(w.full ? all_lanes : w.active, d, r);
  return &op + 1;
}
template <class F, class D, class A, class B, class C> Op const* map3(Warp& w, Op const& op) {
  if (!w.full || op.round != Round::nearest) return map3_rare<F, D, A, B, C>(w, op);
  D* const d = w.reg<D>(op.d);
  A const* const a = w.reg<A>(op.a);
  B const* const b = w.reg<B>(op.b);
  C const* const c = w.reg<C>(op.c);
  EACH_LANE d[i] = F::apply(a[i], b[i], c[i]);
  return &op + 1;
}

template <class F, class D, class A, class B, class C, class E>
[[gnu::noinline]] Op const* map4_rare(Warp& w, Op const& op) {
  D* const d = w.reg<D>(op.d);
  A const* const a = w.reg<A>(op.a);
  B const* const b = w.reg<B>(op.b);
  C const* const c = w.reg<C>(op.c);
  E const* const e = w.reg<E>(op.e);
  alignas(64) D r[32];
  {
    RoundScope const scope(op.round);
    EACH_LANE r[i] = F::apply(a[i], b[i], c[i], e[i]);
    hold(r);
  }
  blend(w.full ? all_lanes : w.active, d, r);
  return &op + 1;
}
template <class F, class D, class A, class B, class C, class E> Op const* map4(Warp& w, Op const& op) {
  if (!w.full || op.round != Round::nearest) return map4_rare<F, D, A, B, C, E>(w, op);
  D* const d = w.reg<D>(op.d);
  A const* const a = w.reg<A>(op.a);
  B const* const b = w.reg<B>(op.b);
  C const* const c = w.reg<C>(op.c);
  E const* const e = w.reg<E>(op.e);
  EACH_LANE d[i] = F::apply(a[i], b[i], c[i], e[i]);
  return &op + 1;
}

// p = F(a), p = F(a, b)
template <class F, class A> Op const* test1(Warp& w, Op const& op) {
  A const* const a = w.reg<A>(op.a);
  alignas(32) u8 truth[32];
  EACH_LANE truth[i] = F::apply(a[i]) ? 0xff : 0;
  set_pred(w, op.d, mask_of(truth));
  return &op + 1;
}

template <class F, class A> Op const* test2(Warp& w, Op const& op) {
  A const* const a = w.reg<A>(op.a);
  A const* const b = w.reg<A>(op.b);
  alignas(32) u8 truth[32];
  EACH_LANE truth[i] = F::apply(a[i], b[i]) ? 0xff : 0;
  set_pred(w, op.d, mask_of(truth));
  return &op + 1;
}

template <std::size_t N> constexpr Table table_of(Entry const (&entries)[N]) { return {entries, N}; }

} // namespace
} // namespace pegasus::software::PEGASUS_ISA
