// SPDX-License-Identifier: Apache-2.0
// Half precision arithmetic, PTX ISA 9.7.4: .f16 and .f16x2.
#include "domA/device/software/exec/float_rules.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

template <bool ftz> LANE_INLINE u16 in16(u16 a) { return ftz ? flushed16(a) : a; }
template <bool ftz, bool sat> LANE_INLINE u16 out16(u16 a) {
  u16 const r = ftz ? flushed16(a) : a;
  if constexpr (sat) {
    bool const nan = (r & 0x7fff) > 0x7c00;
    u16 const low = nan || (r & 0x8000) != 0 ? u16{0} : r;
    return low > 0x3c00 ? u16{0x3c00} : low;
  }
  return r;
}

struct Add {
  LANE_INLINE static u16 op(u16 a, u16 b) { return to_half(from_half(a) + from_half(b)); }
};
struct Sub {
  LANE_INLINE static u16 op(u16 a, u16 b) { return to_half(from_half(a) - from_half(b)); }
};
struct Mul {
  LANE_INLINE static u16 op(u16 a, u16 b) { return to_half(from_half(a) * from_half(b)); }
};
struct Min {
  LANE_INLINE static u16 op(u16 a, u16 b) { return to_half(min_number(from_half(a), from_half(b))); }
};
struct Max {
  LANE_INLINE static u16 op(u16 a, u16 b) { return to_half(max_number(from_half(a), from_half(b))); }
};
LANE_INLINE bool is_nan(u16 a) { return (a & 0x7fff) > 0x7c00; }
struct MinNan {
  LANE_INLINE static u16 op(u16 a, u16 b) { return is_nan(a) || is_nan(b) ? canonical_nan16 : Min::op(a, b); }
};
struct MaxNan {
  LANE_INLINE static u16 op(u16 a, u16 b) { return is_nan(a) || is_nan(b) ? canonical_nan16 : Max::op(a, b); }
};
// The product of two halves is exact in double, and so is its sum with a half to far more than 2 * 11 + 2
// bits.
struct Fma {
  LANE_INLINE static u16 op(u16 a, u16 b, u16 c) {
    double const product = static_cast<double>(from_half(a)) * static_cast<double>(from_half(b));
    return to_half(product + static_cast<double>(from_half(c)));
  }
};
struct FmaRelu {
  LANE_INLINE static u16 op(u16 a, u16 b, u16 c) {
    u16 const r = Fma::op(a, b, c);
    return !is_nan(r) && (r & 0x8000) != 0 ? u16{0} : r;
  }
};

template <class F, bool ftz, bool sat> struct One {
  LANE_INLINE static u16 apply(u16 a, u16 b) { return out16<ftz, sat>(F::op(in16<ftz>(a), in16<ftz>(b))); }
  LANE_INLINE static u16 apply(u16 a, u16 b, u16 c) {
    return out16<ftz, sat>(F::op(in16<ftz>(a), in16<ftz>(b), in16<ftz>(c)));
  }
};
LANE_INLINE u16 low(u32 a) { return static_cast<u16>(a); }
LANE_INLINE u16 high(u32 a) { return static_cast<u16>(a >> 16); }
template <class F> struct Two {
  LANE_INLINE static u32 apply(u32 a, u32 b) {
    return u32{F::apply(low(a), low(b))} | u32{F::apply(high(a), high(b))} << 16;
  }
  LANE_INLINE static u32 apply(u32 a, u32 b, u32 c) {
    return u32{F::apply(low(a), low(b), low(c))} | u32{F::apply(high(a), high(b), high(c))} << 16;
  }
};
template <bool ftz> struct Neg {
  LANE_INLINE static u16 apply(u16 a) { return static_cast<u16>(in16<ftz>(a) ^ 0x8000); }
  LANE_INLINE static u32 apply(u32 a) { return u32{apply(low(a))} | u32{apply(high(a))} << 16; }
};
template <bool ftz> struct Abs {
  LANE_INLINE static u16 apply(u16 a) { return static_cast<u16>(in16<ftz>(a) & 0x7fff); }
  LANE_INLINE static u32 apply(u32 a) { return u32{apply(low(a))} | u32{apply(high(a))} << 16; }
};

#define HALF2(name, suffix, F, ftz, sat)                                                                     \
  {name suffix ".f16", map<One<F, ftz, sat>, u16, u16, u16>}, {                                              \
    name suffix ".f16x2", map<Two<One<F, ftz, sat>>, u32, u32, u32>                                          \
  }
#define HALF3(name, suffix, F, ftz, sat)                                                                     \
  {name suffix ".f16", map<One<F, ftz, sat>, u16, u16, u16, u16>}, {                                         \
    name suffix ".f16x2", map<Two<One<F, ftz, sat>>, u32, u32, u32, u32>                                     \
  }
#define FTZ2(name, F) HALF2(name, "", F, false, false), HALF2(name, ".ftz", F, true, false)
#define SAT2(name, F)                                                                                        \
  FTZ2(name, F), HALF2(name, ".sat", F, false, true), HALF2(name, ".ftz.sat", F, true, true)
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
    HALF3("fma", "", Fma, false, false),
    HALF3("fma", ".ftz", Fma, true, false),
    HALF3("fma", ".sat", Fma, false, true),
    HALF3("fma", ".ftz.sat", Fma, true, true),
    HALF3("fma.relu", "", FmaRelu, false, false),
    HALF3("fma.relu", ".ftz", FmaRelu, true, false),
    SIGN("neg", Neg),
    SIGN("abs", Abs),
};

} // namespace

Table half_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
