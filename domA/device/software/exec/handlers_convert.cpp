// SPDX-License-Identifier: Apache-2.0
// cvt, PTX ISA 9.7.9.21. 8-bit values live in 16-bit registers, extended by their own sign.
#include "domA/device/software/exec/float_rules.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

template <class D, class S> struct IntToInt {
  LANE_INLINE static Stored<D> apply(Stored<S> a) { return static_cast<D>(static_cast<S>(a)); }
};
template <class D, class S> struct IntToIntSat {
  LANE_INLINE static Stored<D> apply(Stored<S> a) {
    S const v = static_cast<S>(a);
    bool const negative = v < S(0);
    bool const under = negative && (!is_signed<D> || static_cast<s64>(v) < static_cast<s64>(lowest<D>));
    bool const over = !negative && static_cast<u64>(v) > static_cast<u64>(highest<D>);
    D const in_range = static_cast<D>(v);
    return under ? lowest<D> : over ? highest<D> : in_range;
  }
};

enum class To { nearest, zero, down, up };
template <To mode> LANE_INLINE float integral(float v) {
  return mode == To::nearest ? __builtin_rintf(v)
         : mode == To::zero  ? __builtin_truncf(v)
         : mode == To::down  ? __builtin_floorf(v)
                             : __builtin_ceilf(v);
}
template <To mode> LANE_INLINE double integral(double v) {
  return mode == To::nearest ? __builtin_rint(v)
         : mode == To::zero  ? __builtin_trunc(v)
         : mode == To::down  ? __builtin_floor(v)
                             : __builtin_ceil(v);
}

// Out of range clamps; NaN gives 0, or the top bit alone when either type is 64 bits wide (PTX ISA 9.7.9.21).
template <class D, class F, To mode> LANE_INLINE Stored<D> float_to_int(F v, bool wide_source) {
  constexpr F top = static_cast<F>(u64{1} << (sizeof(D) * 8 - 1)) * F(is_signed<D> ? 1 : 2);
  constexpr F bottom = is_signed<D> ? -top : F(0);
  F const r = integral<mode>(v);
  bool const in_range = r >= bottom && r < top;
  D const exact = static_cast<D>(in_range ? r : F(0));
  D const clamped = r >= top ? highest<D> : in_range ? exact : lowest<D>;
  D const nan = sizeof(D) == 8 || wide_source ? static_cast<D>(u64{1} << (sizeof(D) * 8 - 1)) : D(0);
  return v != v ? nan : clamped;
}
template <class D, class F, To mode, bool ftz> struct FloatToInt {
  LANE_INLINE static Stored<D> apply(F v) {
    if constexpr (ftz) return float_to_int<D, F, mode>(flushed(v), false);
    return float_to_int<D, F, mode>(v, sizeof(F) == 8);
  }
};
template <class D, To mode> struct HalfToInt {
  LANE_INLINE static Stored<D> apply(u16 v) { return float_to_int<D, float, mode>(from_half(v), false); }
};

// Rounded by the host's mode. NaN cannot come out.
template <class F, class S> struct IntToFloat {
  LANE_INLINE static F apply(Stored<S> a) { return static_cast<F>(static_cast<S>(a)); }
};
template <class F, class S> struct IntToFloatSat {
  LANE_INLINE static F apply(Stored<S> a) { return saturated(static_cast<F>(static_cast<S>(a))); }
};

// To half in a direction: round to nearest, then step back if that went the wrong way.
template <class F> LANE_INLINE u16 to_half_toward(F v, Round round) {
  u16 const h = to_half(v);
  F const back = static_cast<F>(from_half(h));
  bool const negative = (h & 0x8000) != 0;
  bool const above = back > v, below = back < v;
  bool const away = negative ? below : above; // magnitude too large
  bool const shrink =
      away && (round == Round::zero || (round == Round::down && above) || (round == Round::up && below));
  bool const grow = !away && ((round == Round::down && above) || (round == Round::up && below));
  u16 const zero_sign = static_cast<u16>(v < 0 ? 0x8000 : 0);
  u16 const grown = (h & 0x7fff) == 0 ? static_cast<u16>(zero_sign | 1) : static_cast<u16>(h + 1);
  return shrink ? static_cast<u16>(h - 1) : grow ? grown : h;
}
template <class S, bool ftz> struct ToHalf {
  LANE_INLINE static u16 apply(Stored<S> a, Round round) {
    if constexpr (sizeof(S) == 8 && S(0.5) != S(0)) return to_half_toward(static_cast<double>(a), round);
    float const v = static_cast<float>(static_cast<S>(a)); // exact where a half does not overflow anyway
    return to_half_toward(ftz ? flushed(v) : v, round);
  }
};
// The bit tricks of to_half want the host to round to nearest, so the direction is a value here.
template <class S, bool ftz, bool sat> Op const* to_half_op(Warp& w, Op const& op) {
  u16* const d = w.reg<u16>(op.d);
  Stored<S> const* const a = w.reg<Stored<S>>(op.a);
  u32 const m = w.full ? all_lanes : w.active;
  Round const round = op.round;
  EACH_LANE {
    u16 const h = ToHalf<S, ftz>::apply(a[i], round);
    u16 const low = (h & 0x7fff) > 0x7c00 || (h & 0x8000) != 0 ? u16{0} : h;
    u16 const r = sat ? (low > 0x3c00 ? u16{0x3c00} : low) : h;
    d[i] = (m & lane_bit[i]) != 0 ? r : d[i];
  }
  return &op + 1;
}

template <bool ftz, bool sat> struct HalfToFloat {
  LANE_INLINE static float apply(u16 a) { return out<ftz, sat>(from_half(a)); }
};
template <bool sat> struct HalfToDouble {
  LANE_INLINE static double apply(u16 a) {
    double const v = static_cast<double>(from_half(a));
    return sat ? saturated(v) : v;
  }
};
template <bool ftz, bool sat> struct Narrow {
  LANE_INLINE static float apply(double a) { return out<ftz, sat>(static_cast<float>(a)); }
};
template <bool ftz, bool sat> struct Widen {
  LANE_INLINE static double apply(float a) {
    double const v = static_cast<double>(in<ftz>(a));
    return sat ? saturated(v) : v;
  }
};
template <bool ftz, bool sat> struct Same {
  LANE_INLINE static float apply(float a) { return out<ftz, sat>(in<ftz>(a)); }
  LANE_INLINE static double apply(double a) { return sat ? saturated(a) : a; }
};
template <To mode, bool ftz, bool sat> struct Integral {
  LANE_INLINE static float apply(float a) { return out<ftz, sat>(integral<mode>(in<ftz>(a))); }
  LANE_INLINE static double apply(double a) { return sat ? saturated(integral<mode>(a)) : integral<mode>(a); }
  LANE_INLINE static u16 apply(u16 a) { return to_half(integral<mode>(from_half(a))); }
};
struct PackHalves { // cvt.rn.f16x2.f32 d, a, b: a is the upper half
  LANE_INLINE static u32 apply(float a, float b) { return u32{to_half(a)} << 16 | u32{to_half(b)}; }
};

#define INT_TO_INT(D, S)                                                                                     \
  {"cvt." #D "." #S, map<IntToInt<D, S>, Stored<D>, Stored<S>>}, {                                           \
    "cvt.sat." #D "." #S, map<IntToIntSat<D, S>, Stored<D>, Stored<S>>                                       \
  }
#define FLOAT_TO_INT_MODE(name, mode, D)                                                                     \
  {"cvt." name "." #D ".f32", map<FloatToInt<D, float, mode, false>, Stored<D>, float>},                     \
      {"cvt." name ".ftz." #D ".f32", map<FloatToInt<D, float, mode, true>, Stored<D>, float>},              \
      {"cvt." name "." #D ".f64", map<FloatToInt<D, double, mode, false>, Stored<D>, double>}, {             \
    "cvt." name "." #D ".f16", map<HalfToInt<D, mode>, Stored<D>, u16>                                       \
  }
#define INT_TO_FLOAT(S)                                                                                      \
  {"cvt.f32." #S, map<IntToFloat<float, S>, float, Stored<S>>},                                              \
      {"cvt.f64." #S, map<IntToFloat<double, S>, double, Stored<S>>},                                        \
      {"cvt.sat.f32." #S, map<IntToFloatSat<float, S>, float, Stored<S>>},                                   \
      {"cvt.sat.f64." #S, map<IntToFloatSat<double, S>, double, Stored<S>>},                                 \
      {"cvt.f16." #S, to_half_op<S, false, false>}, {                                                        \
    "cvt.sat.f16." #S, to_half_op<S, false, true>                                                            \
  }
#define TO_EACH_INT(D)                                                                                       \
  INT_TO_INT(D, u8), INT_TO_INT(D, s8), INT_TO_INT(D, u16), INT_TO_INT(D, s16), INT_TO_INT(D, u32),          \
      INT_TO_INT(D, s32), INT_TO_INT(D, u64), INT_TO_INT(D, s64), FLOAT_TO_INT_MODE("rni", To::nearest, D),  \
      FLOAT_TO_INT_MODE("rzi", To::zero, D), FLOAT_TO_INT_MODE("rmi", To::down, D),                          \
      FLOAT_TO_INT_MODE("rpi", To::up, D), INT_TO_FLOAT(D)
#define FTZ_SAT(D, S, F, TD, TS)                                                                             \
  {"cvt." D "." S, map<F<false, false>, TD, TS>}, {"cvt.ftz." D "." S, map<F<true, false>, TD, TS>},         \
      {"cvt.sat." D "." S, map<F<false, true>, TD, TS>}, {                                                   \
    "cvt.ftz.sat." D "." S, map<F<true, true>, TD, TS>                                                       \
  }
#define INTEGRAL(name, mode)                                                                                 \
  {"cvt." name ".f32.f32", map<Integral<mode, false, false>, float, float>},                                 \
      {"cvt." name ".ftz.f32.f32", map<Integral<mode, true, false>, float, float>},                          \
      {"cvt." name ".sat.f32.f32", map<Integral<mode, false, true>, float, float>},                          \
      {"cvt." name ".ftz.sat.f32.f32", map<Integral<mode, true, true>, float, float>},                       \
      {"cvt." name ".f64.f64", map<Integral<mode, false, false>, double, double>},                           \
      {"cvt." name ".sat.f64.f64", map<Integral<mode, false, true>, double, double>}, {                      \
    "cvt." name ".f16.f16", map<Integral<mode, false, false>, u16, u16>                                      \
  }

constexpr Entry entries[] = {
    TO_EACH_INT(u8),
    TO_EACH_INT(s8),
    TO_EACH_INT(u16),
    TO_EACH_INT(s16),
    TO_EACH_INT(u32),
    TO_EACH_INT(s32),
    TO_EACH_INT(u64),
    TO_EACH_INT(s64),
    FTZ_SAT("f32", "f64", Narrow, float, double),
    FTZ_SAT("f64", "f32", Widen, double, float),
    FTZ_SAT("f32", "f32", Same, float, float),
    FTZ_SAT("f64", "f64", Same, double, double),
    FTZ_SAT("f32", "f16", HalfToFloat, float, u16),
    {"cvt.f64.f16", map<HalfToDouble<false>, double, u16>},
    {"cvt.sat.f64.f16", map<HalfToDouble<true>, double, u16>},
    {"cvt.f16.f32", to_half_op<float, false, false>},
    {"cvt.ftz.f16.f32", to_half_op<float, true, false>},
    {"cvt.sat.f16.f32", to_half_op<float, false, true>},
    {"cvt.ftz.sat.f16.f32", to_half_op<float, true, true>},
    {"cvt.f16.f64", to_half_op<double, false, false>},
    {"cvt.sat.f16.f64", to_half_op<double, false, true>},
    INTEGRAL("rni", To::nearest),
    INTEGRAL("rzi", To::zero),
    INTEGRAL("rmi", To::down),
    INTEGRAL("rpi", To::up),
    {"cvt.f16x2.f32", map<PackHalves, u32, float, float>},
};

} // namespace

Table convert_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
