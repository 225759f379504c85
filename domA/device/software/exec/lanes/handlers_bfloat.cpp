// SPDX-License-Identifier: Apache-2.0
// bf16 and bf16x2 of compute capability 8.0, PTX ISA 9.7.4, and the conversions from single precision that came with
// it: to bf16, to tf32, and .relu. A register of bf16x2 is 64 adjacent bf16. Rounding is arithmetic here: the host's mode
// does not matter, and Op::round is always nearest.
#include "domA/device/software/exec/lanes/float_rules.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

LANE_INLINE bool is_nan(u16 a, u16 infinity) { return (a & 0x7fff) > infinity; }
constexpr u16 infinity_bf = 0x7f80, infinity_half = 0x7c00;

LANE_INLINE float from_bf(u16 a) { return as<float>(u32{a} << 16); }

// From single precision, to nearest even or towards zero.
template <bool nearest> LANE_INLINE u16 to_bf(float v) {
  u32 const bits = as<u32>(v);
  u32 const up = nearest ? 0x7fff + (bits >> 16 & 1) : 0;
  return static_cast<u16>(v != v ? u32{canonical_nan16} : (bits + up) >> 16);
}
template <bool nearest> LANE_INLINE u16 to_half_by(float v) {
  u16 const h = to_half(v);
  bool const away = __builtin_fabsf(from_half(h)) > __builtin_fabsf(v);
  return !nearest && away ? static_cast<u16>(h - 1) : h;
}

// To nearest even. A bf16 has 7 bits behind its first one, and at least the exponent -126: adding a number whose last bit
// stands for the last one of those rounds. What is left fits single precision, or is too large for both.
LANE_INLINE u16 to_bf(double v) {
  constexpr u64 exponent = 0x7ff0000000000000, least = u64{1023 - 126} << 52;
  u64 const bits = as<u64>(v) & exponent;
  u64 const at_least = bits > least ? bits : least;
  u64 const too_large = u64{1023 + 200} << 52; // and infinity: no sum that overflows
  bool const large = bits > too_large;
  double const shift = 1.5 * as<double>(large ? exponent : at_least + (u64{52 - 7} << 52));
  double const rounded = (v + shift) - shift;
  float const narrow = static_cast<float>(large ? v : rounded);
  u32 const sign = static_cast<u32>(as<u64>(v) >> 32) & 0x80000000; // of a zero, too
  return static_cast<u16>(v != v ? u32{canonical_nan16} : (as<u32>(narrow) | sign) >> 16);
}

template <u16 infinity> LANE_INLINE u16 relu(u16 r) {
  return !is_nan(r, infinity) && (r & 0x8000) != 0 ? u16{0} : r;
}

// In double precision the product of two bf16 is exact, and the error of its sum with one is known: the sum can be rounded
// to odd, and from there to bf16 is one rounding.
struct Fma {
  LANE_INLINE static u16 apply(u16 a, u16 b, u16 c) {
    double const product = static_cast<double>(from_bf(a)) * static_cast<double>(from_bf(b));
    double const addend = static_cast<double>(from_bf(c));
    double const sum = product + addend;
    double const part = sum - product;
    double const error = (product - (sum - part)) + (addend - part);
    u64 const bits = as<u64>(sum);
    u64 const inwards = (as<u64>(error) ^ bits) >> 63;
    u64 const odd = (bits & 1) != 0 ? bits : bits + 1 - 2 * inwards;
    bool const inexact = (error < 0) | (error > 0); // not if the sum is infinite or NaN
    return to_bf(as<double>(inexact ? odd : bits));
  }
};
struct FmaRelu {
  LANE_INLINE static u16 apply(u16 a, u16 b, u16 c) { return relu<infinity_bf>(Fma::apply(a, b, c)); }
};
struct Min {
  LANE_INLINE static u16 apply(u16 a, u16 b, u16) { return to_bf<false>(min_number(from_bf(a), from_bf(b))); }
};
struct Max {
  LANE_INLINE static u16 apply(u16 a, u16 b, u16) { return to_bf<false>(max_number(from_bf(a), from_bf(b))); }
};
template <class F> struct OrNan {
  LANE_INLINE static u16 apply(u16 a, u16 b, u16 c) {
    return is_nan(a, infinity_bf) || is_nan(b, infinity_bf) ? canonical_nan16 : F::apply(a, b, c);
  }
};

// T: the register, of 1 or 2 bf16. A missing operand c is read, and not used.
template <class F, class T> Op const* each_bf(Warp& w, Op const& op) {
  if (!is_whole(w, op)) return partly<T>(w, op, each_bf<F, T>);
  u16* const d = w.reg<u16>(op.d);
  u16 const *const a = w.reg<u16>(op.a), *const b = w.reg<u16>(op.b), *const c = w.reg<u16>(op.c);
  for (u32 first = 0; first < sizeof(T) * 16; first += 32)
    EACH_LANE d[first + i] = F::apply(a[first + i], b[first + i], c[first + i]);
  return &op + 1;
}

template <class T> constexpr T signs = static_cast<T>(0x80008000);
struct Neg {
  template <class T> LANE_INLINE static T apply(T a) { return a ^ signs<T>; }
};
struct Abs {
  template <class T> LANE_INLINE static T apply(T a) { return static_cast<T>(a & ~signs<T>); }
};

template <bool nearest, bool clamps> struct ToBf {
  LANE_INLINE static u16 apply(float a) {
    u16 const r = to_bf<nearest>(a);
    return clamps ? relu<infinity_bf>(r) : r;
  }
};
template <bool nearest, bool clamps> struct ToHalf {
  LANE_INLINE static u16 apply(float a) {
    u16 const r = to_half_by<nearest>(a);
    return clamps ? relu<infinity_half>(r) : r;
  }
};
template <class F> struct Two { // a is the upper half
  LANE_INLINE static u32 apply(float a, float b) { return u32{F::apply(a)} << 16 | u32{F::apply(b)}; }
};
struct ToTensor { // to nearest, ties away from zero
  LANE_INLINE static u32 apply(float a) {
    u32 const bits = as<u32>(a);
    bool const infinite = (bits & 0x7fffffff) == 0x7f800000;
    u32 const rounded = (bits + 0x1000) & 0xffffe000;
    return a != a ? canonical_nan : infinite ? bits : rounded;
  }
};

#define BOTH(name, F)                                                                                        \
  {name ".bf16", each_bf<F, u16>}, { name ".bf16x2", each_bf<F, u32> }
#define SIGN(name, F)                                                                                        \
  {name ".bf16", map<F, u16, u16>}, { name ".bf16x2", map<F, u32, u32> }
#define NARROWED(how, ...)                                                                                   \
  {"cvt" how ".bf16.f32", map<ToBf<__VA_ARGS__>, u16, float>}, {                                             \
    "cvt" how ".bf16x2.f32", map<Two<ToBf<__VA_ARGS__>>, u32, float, float>                                  \
  }
#define NARROWED_HALF(how, ...)                                                                              \
  { "cvt" how ".f16x2.f32", map<Two<ToHalf<__VA_ARGS__>>, u32, float, float> }

constexpr Entry entries[] = {
    BOTH("fma", Fma),
    BOTH("fma.relu", FmaRelu),
    BOTH("min", Min),
    BOTH("max", Max),
    BOTH("min.NaN", OrNan<Min>),
    BOTH("max.NaN", OrNan<Max>),
    SIGN("neg", Neg),
    SIGN("abs", Abs),
    NARROWED("", true, false),
    NARROWED(".relu", true, true),
    NARROWED(".rz", false, false),
    NARROWED(".rz.relu", false, true),
    NARROWED_HALF(".relu", true, true),
    NARROWED_HALF(".rz", false, false),
    NARROWED_HALF(".rz.relu", false, true),
    {"cvt.relu.f16.f32", map<ToHalf<true, true>, u16, float>},
    {"cvt.rz.relu.f16.f32", map<ToHalf<false, true>, u16, float>},
    {"cvt.tf32.f32", map<ToTensor, u32, float>},
};

} // namespace

Table bfloat_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
