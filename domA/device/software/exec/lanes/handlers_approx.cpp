// SPDX-License-Identifier: Apache-2.0
// sin, cos, lg2, ex2 and tanh, PTX ISA 9.7.3.19 to 9.7.3.23. Computed in double precision by short
// series whose error is far below the documented error of the hardware (2 ulp or 2^-20.5 absolute),
// then rounded once.
#include "domA/device/software/exec/lanes/float_rules.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

constexpr double ln2 = 0.693147180559945309417;

// Rounds to the nearest integer for |v| < 2^51, by an addition; the low bits are the integer.
constexpr double to_integer = 0x1.8p52;

// 2^v for |v| <= 1000: 2^integer by exponent bits, 2^fraction by the exponential series up to
// (ln2/2)^9/9! = 2^-31.
LANE_INLINE double power_of_two(double v) {
  double const shifted = v + to_integer;
  double const t = (v - (shifted - to_integer)) * ln2;
  double const p =
      1 + t * (1 + t * (1 / 2. +
                        t * (1 / 6. +
                             t * (1 / 24. +
                                  t * (1 / 120. +
                                       t * (1 / 720. + t * (1 / 5040. + t * (1 / 40320. + t / 362880.))))))));
  return p * as<double>((as<u64>(shifted) + 1023) << 52);
}
LANE_INLINE double clamped(double v, double limit) {
  double const low = v < -limit ? -limit : v;
  return low > limit ? limit : low;
}
struct Ex2 {
  LANE_INLINE static float op(float a) {
    double const v = clamped(static_cast<double>(a), 200.0);
    float const r = static_cast<float>(power_of_two(a != a ? 0.0 : v));
    return a != a ? a : r;
  }
};

// log2 m = 2/ln2 * atanh((m-1)/(m+1)) for m in [sqrt(1/2), sqrt(2)): |s| < 0.172, next term 2^-33.
struct Lg2 {
  LANE_INLINE static float op(float a) {
    double const v = static_cast<double>(a);
    u64 const bits = as<u64>(v);
    u64 const fraction = bits & 0xfffffffffffff;
    bool const upper_half = fraction >= 0x6a09e667f3bcd; // sqrt(2)
    double const m = as<double>(fraction | (upper_half ? u64{0x3fe} : u64{0x3ff}) << 52);
    double const e = static_cast<double>(static_cast<s32>(bits >> 52 & 0x7ff) - 1023 + (upper_half ? 1 : 0));
    double const s = (m - 1) / (m + 1);
    double const q = s * s;
    double const sum =
        s * (1 + q * (1 / 3. + q * (1 / 5. + q * (1 / 7. + q * (1 / 9. + q * (1 / 11. + q * (1 / 13.)))))));
    float const r = static_cast<float>(e + sum * (2 / ln2));
    float const special = a == 0 ? -__builtin_inff() : a < 0 ? __builtin_nanf("") : a; // inf, NaN: itself
    bool const ordinary = a > 0 && a < __builtin_inff();
    return ordinary ? r : special;
  }
};

// sin(r) or cos(r) of r = v - k * pi/2, |r| <= pi/4, by the quadrant k.
LANE_INLINE float trig(float a, u64 quadrant_offset) {
  double const v = static_cast<double>(a);
  double const shifted = v * (2 / 3.14159265358979323846) + to_integer;
  double const k = shifted - to_integer;
  double const r = (v - k * 0x1.921fb544p+0) - k * 0x1.0b4611a626331p-34; // pi/2 as a sum of two parts
  double const q = r * r;
  double const sine =
      r * (1 - q * (1 / 6. - q * (1 / 120. - q * (1 / 5040. - q * (1 / 362880. - q * (1 / 39916800.))))));
  double const cosine =
      1 -
      q * (1 / 2. - q * (1 / 24. - q * (1 / 720. - q * (1 / 40320. - q * (1 / 3628800. - q / 479001600.)))));
  u64 const quadrant = as<u64>(shifted) + quadrant_offset;
  double const chosen = (quadrant & 1) != 0 ? cosine : sine;
  return static_cast<float>((quadrant & 2) != 0 ? -chosen : chosen);
}
template <u64 quadrant_offset> struct Trig { // 0: sin, 1: cos
  static constexpr bool is_cosine = quadrant_offset == 1;
  static constexpr float limit = 0x1p20f; // k * the first part of pi/2 is exact below this
  LANE_INLINE static float op(float a) { return trig(a, quadrant_offset); }
};

// tanh |v| = 1 - 2 / (e^2|v| + 1); near zero, where this cancels, the series.
struct Tanh {
  LANE_INLINE static float op(float a) {
    double const v = static_cast<double>(a);
    double const x = clamped(v < 0 ? -v : v, 20.0);
    double const e = power_of_two(x * (2 / ln2));
    double const large = 1 - 2 / (e + 1);
    double const q = x * x;
    double const small = x * (1 - q * (1 / 3. - q * (2 / 15.)));
    double const r = x < 0.01 ? small : large;
    return a != a ? a : static_cast<float>(v < 0 ? -r : a == 0 ? v : r);
  }
};

template <class F, bool ftz> struct Single {
  LANE_INLINE static float apply(float a) { return out<ftz, false>(F::op(in<ftz>(a))); }
};

// Arguments too large for the reduction by two parts of pi use the library, which is slow but accurate.
template <class F, bool ftz> Op const* trigonometric(Warp& w, Op const& op) {
  float* const d = w.reg<float>(op.d);
  float const* const a = w.reg<float>(op.a);
  alignas(64) float r[32];
  alignas(32) u8 big[32];
  EACH_LANE {
    r[i] = Single<F, ftz>::apply(a[i]);
    big[i] = ((a[i] > F::limit) | (a[i] < -F::limit) | (a[i] != a[i])) ? 0xff : 0;
  }
  u32 slow = mask_of(big) & w.active;
  while (slow != 0) {
    u32 const i = static_cast<u32>(__builtin_ctz(slow));
    slow &= slow - 1;
    double const v = static_cast<double>(a[i]);
    r[i] = canonical(static_cast<float>(F::is_cosine ? __builtin_cos(v) : __builtin_sin(v)));
  }
  u32 const m = w.full ? all_lanes : w.active;
  EACH_LANE d[i] = (m & lane_bit[i]) != 0 ? r[i] : d[i];
  return &op + 1;
}
template <bool ftz> Op const* sine(Warp& w, Op const& op) { return trigonometric<Trig<0>, ftz>(w, op); }
template <bool ftz> Op const* cosine(Warp& w, Op const& op) { return trigonometric<Trig<1>, ftz>(w, op); }

// Half precision: a correctly rounded single gives at most the documented error.
struct Ex2Half {
  LANE_INLINE static u16 apply(u16 a) { return to_half(Ex2::op(from_half(a))); }
};
struct TanhHalf {
  LANE_INLINE static u16 apply(u16 a) { return to_half(Tanh::op(from_half(a))); }
};
template <class F> struct Pair {
  LANE_INLINE static u32 apply(u32 a) {
    return u32{F::apply(static_cast<u16>(a))} | u32{F::apply(static_cast<u16>(a >> 16))} << 16;
  }
};

#define APPROX(name, F)                                                                                      \
  {name ".f32", map<Single<F, false>, float, float>}, { name ".ftz.f32", map<Single<F, true>, float, float> }
constexpr Entry entries[] = {
    APPROX("ex2.approx", Ex2),
    APPROX("lg2.approx", Lg2),
    APPROX("tanh.approx", Tanh),
    {"sin.approx.f32", sine<false>},
    {"sin.approx.ftz.f32", sine<true>},
    {"cos.approx.f32", cosine<false>},
    {"cos.approx.ftz.f32", cosine<true>},
    {"ex2.approx.f16", map<Ex2Half, u16, u16>},
    {"tanh.approx.f16", map<TanhHalf, u16, u16>},
    {"ex2.approx.f16x2", map<Pair<Ex2Half>, u32, u32>},
    {"tanh.approx.f16x2", map<Pair<TanhHalf>, u32, u32>},
};

} // namespace

Table approx_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
