// SPDX-License-Identifier: Apache-2.0
// cvt, PTX ISA 9.7.9.21, from and to floating point; handlers_move.cpp has the integers. There are many
// conversions and few loops: rare conversions use two loops, with intermediate values on the stack.
#include "domA/device/software/exec/lanes/float_rules.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

// One loop of a conversion, and conversions by one and by two loops.
template <class F, class D, class S> struct Loop {
  using Function = F;
  using To = D;
  using From = S;
  [[gnu::noinline]] static void run(D* d, S const* a) { EACH_LANE d[i] = F::apply(a[i]); }
};
template <class L> Op const* once(Warp& w, Op const& op) {
  using D = typename L::To;
  if (!is_whole(w, op)) return partly<D>(w, op, once<L>);
  L::run(w.reg<D>(op.d), w.reg<typename L::From>(op.a));
  return &op + 1;
}
// For registers of 32 and 64 bits, the usual ones: without a call, and with a loop for inactive lanes.
template <class L> constexpr Handler usual() {
  if constexpr (sizeof(typename L::To) == 2 || sizeof(typename L::From) == 2)
    return once<L>;
  else
    return map_masked<typename L::Function, typename L::To, typename L::From>;
}
template <class L, class M> Op const* twice(Warp& w, Op const& op) {
  using D = typename M::To;
  if (!is_whole(w, op)) return partly<D>(w, op, twice<L, M>);
  alignas(64) typename L::To between[32];
  L::run(between, w.reg<typename L::From>(op.a));
  M::run(w.reg<D>(op.d), between);
  return &op + 1;
}

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

template <To mode, bool ftz> struct Integral {
  LANE_INLINE static float apply(float a) { return canonical(integral<mode>(in<ftz>(a))); }
  LANE_INLINE static double apply(double a) { return canonical(integral<mode>(a)); }
  LANE_INLINE static u16 apply(u16 a) { return to_half(integral<mode>(from_half(a))); }
};
// A subnormal is rounded to zero anyway unless rounding is downwards or upwards.
template <class T, To mode, bool ftz = false>
using ToIntegral = Loop<Integral<mode, ftz && (mode == To::down || mode == To::up)>, T, T>;

struct HalfToFloat { // never a subnormal
  LANE_INLINE static float apply(u16 a) { return canonical(from_half(a)); }
};
using FromHalf = Loop<HalfToFloat, float, u16>;
template <To mode> struct HalfIntegral {
  LANE_INLINE static float apply(u16 a) { return integral<mode>(from_half(a)); }
};
template <To mode> using HalfToIntegral = Loop<HalfIntegral<mode>, float, u16>;

// To an integer, towards zero. Out-of-range values clamp; NaN gives 0, or only the top bit if either type is
// 64 bits wide (PTX ISA 9.7.9.21).
template <class D, class F> struct FloatToInt {
  LANE_INLINE static Stored<D> apply(F v) {
    constexpr F top = static_cast<F>(u64{1} << (bits_in<D> - 1)) * F(is_signed<D> ? 1 : 2);
    constexpr F bottom = is_signed<D> ? -top : F(0);
    constexpr D nan = sizeof(D) == 8 || sizeof(F) == 8 ? static_cast<D>(u64{1} << (bits_in<D> - 1)) : D(0);
    bool const in_range = v >= bottom && v < top;
    D const exact = static_cast<D>(in_range ? v : F(0));
    D const clamped = v >= top ? highest<D> : in_range ? exact : lowest<D>;
    return v != v ? nan : clamped;
  }
};
template <class D, class F> using ToInt = Loop<FloatToInt<D, F>, Stored<D>, F>;

template <class D, To mode> struct RoundToInt {
  LANE_INLINE static D apply(float v) { return FloatToInt<D, float>::apply(integral<mode>(v)); }
};
template <class D, To mode, bool ftz = false> constexpr Handler float_to_int() {
  if constexpr (sizeof(D) == 4 && !ftz)
    return map<RoundToInt<D, mode>, D, float>;
  else
    return twice<ToIntegral<float, mode, ftz>, ToInt<D, float>>;
}

// Rounded in the host's mode. The result is never NaN.
template <class F, class S> struct IntToFloat {
  LANE_INLINE static F apply(Stored<S> a) { return static_cast<F>(static_cast<S>(a)); }
};
template <class F, class S> using ToFloat = Loop<IntToFloat<F, S>, F, Stored<S>>;

// Applies .ftz and .sat to a result.
template <bool ftz, bool sat> struct Finish {
  LANE_INLINE static float apply(float a) { return out<ftz, sat>(a); }
  LANE_INLINE static double apply(double a) { return sat ? saturated(a) : a; }
};
template <class T, bool ftz, bool sat> using Finished = Loop<Finish<ftz, sat>, T, T>;
template <class T> using Saturated = Finished<T, false, true>;

struct Narrow {
  LANE_INLINE static float apply(double a) { return canonical(static_cast<float>(a)); }
};
using ToSingle = Loop<Narrow, float, double>;
template <bool ftz, bool sat> struct Widen {
  LANE_INLINE static double apply(float a) {
    double const v = static_cast<double>(in<ftz>(a));
    return sat ? saturated(v) : canonical(v);
  }
};
struct HalfToDouble {
  LANE_INLINE static double apply(u16 a) { return canonical(static_cast<double>(from_half(a))); }
};
using HalfToDoubles = Loop<HalfToDouble, double, u16>;
struct PackHalves { // cvt.rn.f16x2.f32 d, a, b: a is the upper half
  LANE_INLINE static u32 apply(float a, float b) { return u32{to_half(a)} << 16 | u32{to_half(b)}; }
};

// To half in a given direction: rounds to nearest, then steps back if that went the wrong way.
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
// The bit operations of to_half require the host to round to nearest, so the direction is a value here.
template <class F> [[gnu::noinline]] Op const* to_halves(Warp& w, Op const& op, F const* a, bool sat) {
  alignas(64) u16 r[32];
  Round const round = op.round;
  if (round == Round::nearest) {
    EACH_LANE r[i] = to_half(a[i]);
  } else {
    EACH_LANE r[i] = to_half_toward(a[i], round);
  }
  if (sat) {
    EACH_LANE {
      u16 const low = (r[i] & 0x7fff) > 0x7c00 || (r[i] & 0x8000) != 0 ? u16{0} : r[i];
      r[i] = low > 0x3c00 ? u16{0x3c00} : low;
    }
  }
  blend(w.full ? all_lanes : w.active, w.reg<u16>(op.d), r);
  return &op + 1;
}
template <class F, bool sat> Op const* float_to_half(Warp& w, Op const& op) {
  return to_halves(w, op, w.reg<F>(op.a), sat);
}
// Via single precision: exact unless the half overflows anyway.
template <class S, bool sat> Op const* int_to_half(Warp& w, Op const& op) {
  alignas(64) float v[32];
  ToFloat<float, S>::run(v, w.reg<Stored<S>>(op.a));
  return to_halves(w, op, v, sat);
}
template <bool sat> Op const* flushed_to_half(Warp& w, Op const& op) {
  alignas(64) float v[32];
  Finished<float, true, false>::run(v, w.reg<float>(op.a));
  return to_halves(w, op, v, sat);
}

#define FLOAT_TO_INT(name, mode, flushes, D)                                                                 \
  {"cvt." name "." #D ".f32", float_to_int<D, mode>()},                                                      \
      {"cvt." name ".ftz." #D ".f32", float_to_int<D, mode, flushes>()},                                     \
      {"cvt." name "." #D ".f64", twice<ToIntegral<double, mode>, ToInt<D, double>>}, {                      \
    "cvt." name "." #D ".f16", twice<HalfToIntegral<mode>, ToInt<D, float>>                                  \
  }
#define TRUNCATION(D)                                                                                        \
  {"cvt.rzi." #D ".f32", usual<ToInt<D, float>>()}, {"cvt.rzi.ftz." #D ".f32", usual<ToInt<D, float>>()},    \
      {"cvt.rzi." #D ".f64", usual<ToInt<D, double>>()}, {                                                   \
    "cvt.rzi." #D ".f16", twice<FromHalf, ToInt<D, float>>                                                   \
  }
#define INT_TO_FLOAT(S)                                                                                      \
  {"cvt.f32." #S, usual<ToFloat<float, S>>()}, {"cvt.f64." #S, usual<ToFloat<double, S>>()},                 \
      {"cvt.sat.f32." #S, twice<ToFloat<float, S>, Saturated<float>>},                                       \
      {"cvt.sat.f64." #S, twice<ToFloat<double, S>, Saturated<double>>},                                     \
      {"cvt.f16." #S, int_to_half<S, false>}, {                                                              \
    "cvt.sat.f16." #S, int_to_half<S, true>                                                                  \
  }
#define EACH_INT(D)                                                                                          \
  TRUNCATION(D), FLOAT_TO_INT("rni", To::nearest, false, D), FLOAT_TO_INT("rmi", To::down, true, D),         \
      FLOAT_TO_INT("rpi", To::up, true, D), INT_TO_FLOAT(D)
#define INTEGRAL(name, mode)                                                                                 \
  {"cvt." name ".f32.f32", usual<ToIntegral<float, mode>>()},                                                \
      {"cvt." name ".ftz.f32.f32", once<ToIntegral<float, mode, true>>},                                     \
      {"cvt." name ".sat.f32.f32", twice<ToIntegral<float, mode>, Saturated<float>>},                        \
      {"cvt." name ".ftz.sat.f32.f32", twice<ToIntegral<float, mode, true>, Saturated<float>>},              \
      {"cvt." name ".f64.f64", usual<ToIntegral<double, mode>>()},                                           \
      {"cvt." name ".sat.f64.f64", twice<ToIntegral<double, mode>, Saturated<double>>}, {                    \
    "cvt." name ".f16.f16", once<ToIntegral<u16, mode>>                                                      \
  }

constexpr Entry entries[] = {
    EACH_INT(u8),
    EACH_INT(s8),
    EACH_INT(u16),
    EACH_INT(s16),
    EACH_INT(u32),
    EACH_INT(s32),
    EACH_INT(u64),
    EACH_INT(s64),
    INTEGRAL("rni", To::nearest),
    INTEGRAL("rzi", To::zero),
    INTEGRAL("rmi", To::down),
    INTEGRAL("rpi", To::up),
    {"cvt.f32.f64", usual<ToSingle>()},
    {"cvt.ftz.f32.f64", twice<ToSingle, Finished<float, true, false>>},
    {"cvt.sat.f32.f64", twice<ToSingle, Saturated<float>>},
    {"cvt.ftz.sat.f32.f64", twice<ToSingle, Finished<float, true, true>>},
    {"cvt.f64.f32", map_masked<Widen<false, false>, double, float>},
    {"cvt.ftz.f64.f32", map<Widen<true, false>, double, float>},
    {"cvt.sat.f64.f32", map<Widen<false, true>, double, float>},
    {"cvt.ftz.sat.f64.f32", map<Widen<true, true>, double, float>},
    {"cvt.f32.f32", once<Finished<float, false, false>>},
    {"cvt.ftz.f32.f32", once<Finished<float, true, false>>},
    {"cvt.sat.f32.f32", once<Saturated<float>>},
    {"cvt.ftz.sat.f32.f32", once<Finished<float, true, true>>},
    {"cvt.sat.f64.f64", once<Saturated<double>>},
    {"cvt.f32.f16", once<FromHalf>},
    {"cvt.ftz.f32.f16", once<FromHalf>},
    {"cvt.sat.f32.f16", twice<FromHalf, Saturated<float>>},
    {"cvt.ftz.sat.f32.f16", twice<FromHalf, Saturated<float>>},
    {"cvt.f64.f16", once<HalfToDoubles>},
    {"cvt.sat.f64.f16", twice<HalfToDoubles, Saturated<double>>},
    {"cvt.f16.f32", float_to_half<float, false>},
    {"cvt.sat.f16.f32", float_to_half<float, true>},
    {"cvt.ftz.f16.f32", flushed_to_half<false>},
    {"cvt.ftz.sat.f16.f32", flushed_to_half<true>},
    {"cvt.f16.f64", float_to_half<double, false>},
    {"cvt.sat.f16.f64", float_to_half<double, true>},
    {"cvt.f16x2.f32", map<PackHalves, u32, float, float>},
};

} // namespace

Table convert_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
