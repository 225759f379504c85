// SPDX-License-Identifier: Apache-2.0
// PTX's rules for floating point results (PTX ISA 9.7.3 to 9.7.5) on top of the host's IEEE 754 arithmetic.
// Only handlers_*.cpp include this.
#pragma once

#include "domA/device/software/exec/lanes/lanes.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

constexpr u32 canonical_nan = 0x7fffffff; // every single-precision operation returns this NaN
// PTX does not define a double's NaN. Which operand's NaN the host's addition returns depends on how
// the compiler orders them, so all become one: CUDART_NAN, which is also the host's result if no
// operand is a NaN.
constexpr u64 canonical_nan64 = 0xfff8000000000000;
constexpr u16 canonical_nan16 = 0x7fff;

// Flushes subnormals to zero of the same sign.
LANE_INLINE float flushed(float v) {
  u32 const bits = as<u32>(v);
  return as<float>((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}
LANE_INLINE float canonical(float v) { return v != v ? as<float>(canonical_nan) : v; }
LANE_INLINE double canonical(double v) { return v != v ? as<double>(canonical_nan64) : v; }
// .sat: clamps to [0, 1]; NaN becomes +0.
LANE_INLINE float saturated(float v) {
  float const low = v > 0.0f ? v : 0.0f;
  return low > 1.0f ? 1.0f : low;
}
LANE_INLINE double saturated(double v) {
  double const low = v > 0.0 ? v : 0.0;
  return low > 1.0 ? 1.0 : low;
}

template <bool ftz> LANE_INLINE float in(float v) { return ftz ? flushed(v) : v; }
template <bool ftz, bool sat> LANE_INLINE float out(float v) {
  float const r = ftz ? flushed(v) : v;
  return sat ? saturated(r) : canonical(r);
}

// Half precision is computed in single precision: the conversion is exact on the way in, and rounds to
// nearest even on the way out. Double rounding is harmless for +, -, * and / because 24 >= 2 * 11 + 2.
LANE_INLINE float from_half(u16 h) {
  u32 const magnitude = u32{h} & 0x7fff;
  u32 const scaled = as<u32>(as<float>(magnitude << 13) * 0x1p112f); // also correct for subnormals
  u32 const bits = magnitude >= 0x7c00 ? (magnitude << 13) | 0x7f800000 : scaled;
  return as<float>(bits | (u32{h} & 0x8000) << 16);
}
LANE_INLINE u16 to_half(float v) {
  u32 const bits = as<u32>(v);
  u32 const sign = bits >> 16 & 0x8000;
  u32 const mag = bits & 0x7fffffff;
  u32 const normal = (mag + 0xc8000fff + (mag >> 13 & 1)) >> 13;
  // Adding 0.5 moves the bits of a subnormal half to the low end of the sum; the addition itself rounds.
  u32 const small = as<u32>(as<float>(mag) + 0.5f) - 0x3f000000;
  u32 const special = mag > 0x7f800000 ? u32{canonical_nan16} : 0x7c00;
  u32 const r = mag >= 0x47800000 ? special : mag < 0x38800000 ? small : normal;
  return static_cast<u16>(mag > 0x7f800000 ? r : sign | r);
}
// From double with one rounding: first to 24 bits, rounding to odd, then to half.
LANE_INLINE u16 to_half(double v) {
  u64 const bits = as<u64>(v);
  u64 const rest = bits & 0x1fffffff;
  bool const finite = (bits & 0x7ff0000000000000) != 0x7ff0000000000000;
  u64 const odd = (bits & ~u64{0x1fffffff}) | (rest != 0 ? u64{0x20000000} : u64{0});
  return to_half(static_cast<float>(as<double>(finite ? odd : bits)));
}
LANE_INLINE u16 flushed16(u16 h) { return (h & 0x7c00) == 0 ? static_cast<u16>(h & 0x8000) : h; }

// -0 is less than +0, and a number is preferred to a NaN (PTX ISA 9.7.3.11, 9.7.3.12).
template <class T> struct BitsOf;
template <> struct BitsOf<float> { using type = u32; };
template <> struct BitsOf<double> { using type = u64; };
template <class T> LANE_INLINE T min_number(T a, T b) {
  using U = typename BitsOf<T>::type;
  T const less = a < b ? a : b;
  T const zeros = a == b ? as<T>(static_cast<U>(as<U>(a) | as<U>(b))) : less;
  return a != a ? b : b != b ? a : zeros;
}
template <class T> LANE_INLINE T max_number(T a, T b) {
  using U = typename BitsOf<T>::type;
  T const more = a > b ? a : b;
  T const zeros = a == b ? as<T>(static_cast<U>(as<U>(a) & as<U>(b))) : more;
  return a != a ? b : b != b ? a : zeros;
}

} // namespace
} // namespace pegasus::software::PEGASUS_ISA
