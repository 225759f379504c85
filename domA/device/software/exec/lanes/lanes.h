// SPDX-License-Identifier: Apache-2.0
// How handlers loop over the 32 lanes. Only the handlers_*.cpp files include this. They are compiled once per
// instruction set: everything here is in an unnamed namespace or always inlined, so that code for a newer
// instruction set is never linked into the path of an older machine.
#pragma once

#include "domA/device/software/exec/lanes/lane_tables.h"
#include "domA/device/software/exec/machine/warp.h"

#include <cstdint>

#ifndef PEGASUS_ISA
#define PEGASUS_ISA baseline
#endif

// A destination register is identical to a source or disjoint from it, never overlapping:
// iterations are independent.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" // some loops cannot be vectorised; under sanitizers none can
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

template <class T> constexpr bool is_signed = T(-1) < T(0);
template <class T> constexpr u32 bits_in = sizeof(T) * 8;

template <class T> struct Unsign { using type = T; };
template <> struct Unsign<s16> { using type = u16; };
template <> struct Unsign<s32> { using type = u32; };
template <> struct Unsign<s64> { using type = u64; };
template <class T> using Unsigned = typename Unsign<T>::type;

// 8-bit values are stored in 16-bit registers, extended with their own sign.
template <class T> struct StoredAs { using type = T; };
template <> struct StoredAs<u8> { using type = u16; };
template <> struct StoredAs<s8> { using type = s16; };
template <class T> using Stored = typename StoredAs<T>::type;

template <class T> constexpr T lowest = is_signed<T> ? static_cast<T>(u64{1} << (bits_in<T> - 1)) : T(0);
template <class T> constexpr T highest = static_cast<T>(~lowest<T>);

alignas(64) constexpr u32 lane_bit[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

template <class To, class From> LANE_INLINE To as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

// Converts 32 truth values (0 or 0xff) to a mask. Uses built-in functions: <immintrin.h> would be most of
// what the compiler reads.
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

// Writes the results of the active lanes to d.
template <class D> LANE_INLINE void blend(u32 m, D* d, D const* r) {
  EACH_LANE d[i] = (m & lane_bit[i]) != 0 ? r[i] : d[i];
}

} // namespace

// For inactive lanes or another rounding mode: runs `whole` for all lanes under that rounding mode, and
// restores the values of the inactive lanes. By the width of the destination.
Op const* partly16(Warp&, Op const&, Handler whole);
Op const* partly32(Warp&, Op const&, Handler whole);
Op const* partly64(Warp&, Op const&, Handler whole);

namespace {

template <class D> LANE_INLINE Op const* partly(Warp& w, Op const& op, Handler whole) {
  return sizeof(D) == 2   ? partly16(w, op, whole)
         : sizeof(D) == 4 ? partly32(w, op, whole)
                          : partly64(w, op, whole);
}
LANE_INLINE bool is_whole(Warp const& w, Op const& op) { return w.full && op.round == Round::nearest; }

struct None {}; // the type of a missing source

// Calls F with one to four sources.
template <class F, class A, class B, class C, class E>
LANE_INLINE auto value_of(A const* a, B const* b, C const* c, E const* e, u32 i) {
  if constexpr (__is_same(B, None))
    return F::apply(a[i]);
  else if constexpr (__is_same(C, None))
    return F::apply(a[i], b[i]);
  else if constexpr (__is_same(E, None))
    return F::apply(a[i], b[i], c[i]);
  else
    return F::apply(a[i], b[i], c[i], e[i]);
}

// d = F(a...). For all lanes and rounding to nearest this is a leaf function without a stack frame. partly()
// handles all other cases: the compiler then has one loop per function.
template <class F, class D, class A, class B = None, class C = None, class E = None>
Op const* map(Warp& w, Op const& op) {
  if (!is_whole(w, op)) return partly<D>(w, op, map<F, D, A, B, C, E>);
  D* const d = w.reg<D>(op.d);
  A const* const a = w.reg<A>(op.a);
  B const* const b = w.reg<B>(op.b);
  C const* const c = w.reg<C>(op.c);
  E const* const e = w.reg<E>(op.e);
  EACH_LANE d[i] = value_of<F>(a, b, c, e, i);
  return &op + 1;
}

// SSE2 has no select of 64-bit values; without AVX2 such a loop handles single lanes.
#if defined(__SSE2__) && !defined(__AVX2__)
template <class D> constexpr bool selects = sizeof(D) < 8;
#else
template <class D> constexpr bool selects = true;
#endif

// The same with an additional loop for inactive lanes: for operations that are frequent in divergent code,
// where partly() makes a cheap function a quarter slower. Not for 16 bits: GCC 12 has no pattern for a masked
// 16-bit minimum with memory operands and stops with an internal error.
template <class F, class D, class A, class B = None, class C = None, class E = None>
Op const* map_masked(Warp& w, Op const& op) {
  static_assert(sizeof(D) > 2);
  D* const d = w.reg<D>(op.d);
  A const* const a = w.reg<A>(op.a);
  B const* const b = w.reg<B>(op.b);
  C const* const c = w.reg<C>(op.c);
  E const* const e = w.reg<E>(op.e);
  if (is_whole(w, op)) [[likely]] {
    EACH_LANE d[i] = value_of<F>(a, b, c, e, i);
    return &op + 1;
  }
  if (!selects<D> || op.round != Round::nearest) return partly<D>(w, op, map_masked<F, D, A, B, C, E>);
  u32 const m = w.active;
  EACH_LANE {
    D const r = value_of<F>(a, b, c, e, i);
    d[i] = (m & lane_bit[i]) != 0 ? r : d[i];
  }
  return &op + 1;
}

template <std::size_t N> constexpr Table table_of(Entry const (&entries)[N]) { return {entries, N}; }

} // namespace
} // namespace pegasus::software::PEGASUS_ISA
