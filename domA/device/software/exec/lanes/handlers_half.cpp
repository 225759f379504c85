// SPDX-License-Identifier: Apache-2.0
// Half precision arithmetic, PTX ISA 9.7.4: .f16 and .f16x2. A register of f16x2 is 64 adjacent
// halves, so one loop serves both types. The operands and results of the rare .ftz and .sat pass
// through additional loops.
#include "domA/device/software/exec/lanes/float_rules.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

LANE_INLINE bool is_nan(u16 a) { return (a & 0x7fff) > 0x7c00; }

struct Add {
  LANE_INLINE static u16 apply(u16 a, u16 b) { return to_half(from_half(a) + from_half(b)); }
};
struct Sub {
  LANE_INLINE static u16 apply(u16 a, u16 b) { return to_half(from_half(a) - from_half(b)); }
};
struct Mul {
  LANE_INLINE static u16 apply(u16 a, u16 b) { return to_half(from_half(a) * from_half(b)); }
};
struct Min {
  LANE_INLINE static u16 apply(u16 a, u16 b) { return to_half(min_number(from_half(a), from_half(b))); }
};
struct Max {
  LANE_INLINE static u16 apply(u16 a, u16 b) { return to_half(max_number(from_half(a), from_half(b))); }
};
struct MinNan {
  LANE_INLINE static u16 apply(u16 a, u16 b) {
    return is_nan(a) || is_nan(b) ? canonical_nan16 : Min::apply(a, b);
  }
};
struct MaxNan {
  LANE_INLINE static u16 apply(u16 a, u16 b) {
    return is_nan(a) || is_nan(b) ? canonical_nan16 : Max::apply(a, b);
  }
};
// In single precision the product of two halves is exact, and the error of its sum with a half is known. The
// sum can thus be rounded to odd: from there to half is one rounding.
struct Fma {
  LANE_INLINE static u16 apply(u16 a, u16 b, u16 c) {
    float const product = from_half(a) * from_half(b), addend = from_half(c);
    float const sum = product + addend;
    float const part = sum - product;
    float const error = (product - (sum - part)) + (addend - part);
    u32 const bits = as<u32>(sum);
    u32 const inwards = (as<u32>(error) ^ bits) >> 31;
    u32 const odd = (bits & 1) != 0 ? bits : bits + 1 - 2 * inwards;
    bool const inexact = (error < 0) | (error > 0); // not if the sum is infinite or NaN
    return to_half(as<float>(inexact ? odd : bits));
  }
};
struct FmaRelu {
  LANE_INLINE static u16 apply(u16 a, u16 b, u16 c) {
    u16 const r = Fma::apply(a, b, c);
    return !is_nan(r) && (r & 0x8000) != 0 ? u16{0} : r;
  }
};

// Loops over n halves, 32 or 64.
LANE_INLINE u16* aligned(u16* p) { return static_cast<u16*>(__builtin_assume_aligned(p, 64)); }
LANE_INLINE u16 const* aligned(u16 const* p) {
  return static_cast<u16 const*>(__builtin_assume_aligned(p, 64));
}

template <class F> [[gnu::noinline]] void of_two(u32 n, u16* d, u16 const* a, u16 const* b, u16 const*) {
  for (; n != 0; n -= 32, d += 32, a += 32, b += 32)
    EACH_LANE aligned(d)[i] = F::apply(aligned(a)[i], aligned(b)[i]);
}
template <class F> [[gnu::noinline]] void of_three(u32 n, u16* d, u16 const* a, u16 const* b, u16 const* c) {
  for (; n != 0; n -= 32, d += 32, a += 32, b += 32, c += 32)
    EACH_LANE aligned(d)[i] = F::apply(aligned(a)[i], aligned(b)[i], aligned(c)[i]);
}
[[gnu::noinline]] u16 const* flush(u32 n, u16* d, u16 const* a) {
  for (u32 k = 0; k < n; k += 32)
    EACH_LANE d[k + i] = flushed16(a[k + i]);
  return d;
}
[[gnu::noinline]] void saturate(u32 n, u16* d) {
  for (u32 k = 0; k < n; k += 32)
    EACH_LANE {
      u16 const low = is_nan(d[k + i]) || (d[k + i] & 0x8000) != 0 ? u16{0} : d[k + i];
      d[k + i] = low > 0x3c00 ? u16{0x3c00} : low;
    }
}

using Loop = void (*)(u32, u16*, u16 const*, u16 const*, u16 const*);
template <class T, Loop loop> Op const* half(Warp& w, Op const& op) {
  if (!is_whole(w, op)) return partly<T>(w, op, half<T, loop>);
  loop(sizeof(T) * 16, w.reg<u16>(op.d), w.reg<u16>(op.a), w.reg<u16>(op.b), w.reg<u16>(op.c));
  return &op + 1;
}
template <class T, Loop loop, u32 sources, bool ftz, bool sat> Op const* modified(Warp& w, Op const& op) {
  if (!is_whole(w, op)) return partly<T>(w, op, modified<T, loop, sources, ftz, sat>);
  constexpr u32 n = sizeof(T) * 16;
  u16* const d = w.reg<u16>(op.d);
  u16 const *a = w.reg<u16>(op.a), *b = w.reg<u16>(op.b), *c = w.reg<u16>(op.c);
  alignas(64) u16 of_a[n], of_b[n], of_c[n];
  if constexpr (ftz) {
    a = flush(n, of_a, a);
    b = flush(n, of_b, b);
    if constexpr (sources == 3) c = flush(n, of_c, c);
  }
  loop(n, d, a, b, c);
  if constexpr (ftz) flush(n, d, d);
  if constexpr (sat) saturate(n, d);
  return &op + 1;
}

// neg and abs: the sign bits of the halves in T; with .ftz a subnormal operand is flushed as well.
template <class T> constexpr T signs = static_cast<T>(0x80008000);
template <bool ftz> LANE_INLINE u16 in16(u16 a) { return ftz ? flushed16(a) : a; }
template <bool ftz> LANE_INLINE u32 in16(u32 a) {
  return ftz ? u32{flushed16(static_cast<u16>(a))} | u32{flushed16(static_cast<u16>(a >> 16))} << 16 : a;
}
template <bool ftz> struct Neg {
  template <class T> LANE_INLINE static T apply(T a) { return in16<ftz>(a) ^ signs<T>; }
};
template <bool ftz> struct Abs {
  template <class T> LANE_INLINE static T apply(T a) { return static_cast<T>(in16<ftz>(a) & ~signs<T>); }
};

#define BOTH(name, loop)                                                                                     \
  {name ".f16", half<u16, loop>}, { name ".f16x2", half<u32, loop> }
#define MODIFIED(name, ...)                                                                                  \
  {name ".f16", modified<u16, __VA_ARGS__>}, { name ".f16x2", modified<u32, __VA_ARGS__> }
#define FTZ2(name, F) BOTH(name, of_two<F>), MODIFIED(name ".ftz", of_two<F>, 2, true, false)
#define FTZ3(name, F) BOTH(name, of_three<F>), MODIFIED(name ".ftz", of_three<F>, 3, true, false)
#define SAT2(name, F)                                                                                        \
  FTZ2(name, F), MODIFIED(name ".sat", of_two<F>, 2, false, true),                                           \
      MODIFIED(name ".ftz.sat", of_two<F>, 2, true, true)
#define SIGN(name, F)                                                                                        \
  {name ".f16", map<F<false>, u16, u16>}, {name ".ftz.f16", map<F<true>, u16, u16>},                         \
      {name ".f16x2", map<F<false>, u32, u32>}, {                                                            \
    name ".ftz.f16x2", map<F<true>, u32, u32>                                                                \
  }

constexpr Entry entries[] = {
    SAT2("add", Add),
    SAT2("sub", Sub),
    SAT2("mul", Mul),
    FTZ2("min", Min),
    FTZ2("max", Max),
    FTZ2("min.NaN", MinNan),
    FTZ2("max.NaN", MaxNan),
    FTZ3("fma", Fma),
    MODIFIED("fma.sat", of_three<Fma>, 3, false, true),
    MODIFIED("fma.ftz.sat", of_three<Fma>, 3, true, true),
    FTZ3("fma.relu", FmaRelu),
    SIGN("neg", Neg),
    SIGN("abs", Abs),
};

} // namespace

Table half_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
