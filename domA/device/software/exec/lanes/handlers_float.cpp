// SPDX-License-Identifier: Apache-2.0
// Single and double precision arithmetic, PTX ISA 9.7.3. The rounding mode is the host's, set by RoundScope.
#include "domA/device/software/exec/lanes/float_rules.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

LANE_INLINE float root(float a) { return __builtin_sqrtf(a); }
LANE_INLINE double root(double a) { return __builtin_sqrt(a); }
LANE_INLINE float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
LANE_INLINE double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

struct Add {
  template <class T> LANE_INLINE static T op(T a, T b) { return a + b; }
};
struct Sub {
  template <class T> LANE_INLINE static T op(T a, T b) { return a - b; }
};
struct Mul {
  template <class T> LANE_INLINE static T op(T a, T b) { return a * b; }
};
struct Div {
  template <class T> LANE_INLINE static T op(T a, T b) { return a / b; }
};
// PTX ISA 9.7.3.8: beyond 2^126 the reciprocal that div.approx multiplies by is zero.
struct DivApprox {
  LANE_INLINE static float op(float a, float b) {
    bool const huge = (as<u32>(b) & 0x7fffffff) > 0x7e800000 && (as<u32>(b) & 0x7fffffff) < 0x7f800000;
    float const zero = a * as<float>(as<u32>(b) & 0x80000000);
    return huge ? zero : a / b;
  }
};
struct Min {
  template <class T> LANE_INLINE static T op(T a, T b) { return min_number(a, b); }
};
struct Max {
  template <class T> LANE_INLINE static T op(T a, T b) { return max_number(a, b); }
};
struct MinNan {
  LANE_INLINE static float op(float a, float b) { return a != a ? a : b != b ? b : min_number(a, b); }
};
struct MaxNan {
  LANE_INLINE static float op(float a, float b) { return a != a ? a : b != b ? b : max_number(a, b); }
};
struct Sqrt {
  template <class T> LANE_INLINE static T op(T a) { return root(a); }
};
struct Rcp {
  template <class T> LANE_INLINE static T op(T a) { return T(1) / a; }
};
struct Rsqrt {
  LANE_INLINE static float op(float a) { return static_cast<float>(1.0 / root(static_cast<double>(a))); }
  LANE_INLINE static double op(double a) { return 1.0 / root(a); }
};
struct Fma {
  template <class T> LANE_INLINE static T op(T a, T b, T c) { return fused(a, b, c); }
};

// Single precision: flush, compute, flush, saturate or make the NaN canonical.
template <class F, bool ftz, bool sat> struct Single {
  LANE_INLINE static float apply(float a) { return out<ftz, sat>(F::op(in<ftz>(a))); }
  LANE_INLINE static float apply(float a, float b) { return out<ftz, sat>(F::op(in<ftz>(a), in<ftz>(b))); }
  LANE_INLINE static float apply(float a, float b, float c) {
    return out<ftz, sat>(F::op(in<ftz>(a), in<ftz>(b), in<ftz>(c)));
  }
};
// Double precision: compute, make the NaN canonical.
template <class F> struct Double {
  LANE_INLINE static double apply(double a) { return canonical(F::op(a)); }
  LANE_INLINE static double apply(double a, double b) { return canonical(F::op(a, b)); }
  LANE_INLINE static double apply(double a, double b, double c) { return canonical(F::op(a, b, c)); }
};

// neg, abs and copysign work on the sign bit; with .ftz a subnormal operand is flushed as well.
template <bool ftz> struct Neg {
  LANE_INLINE static float apply(float a) { return as<float>(as<u32>(in<ftz>(a)) ^ 0x80000000); }
};
template <bool ftz> struct Abs {
  LANE_INLINE static float apply(float a) { return as<float>(as<u32>(in<ftz>(a)) & 0x7fffffff); }
};
struct Neg64 {
  LANE_INLINE static u64 apply(u64 a) { return a ^ 0x8000000000000000; }
};
struct Abs64 {
  LANE_INLINE static u64 apply(u64 a) { return a & 0x7fffffffffffffff; }
};
struct CopySign {
  LANE_INLINE static u32 apply(u32 a, u32 b) { return (a & 0x80000000) | (b & 0x7fffffff); }
  LANE_INLINE static u64 apply(u64 a, u64 b) { return (a & 0x8000000000000000) | (b & 0x7fffffffffffffff); }
};
// The .ftz.f64 approximations read and write only the upper 32 bits (PTX ISA 9.7.3.14, 9.7.3.18).
LANE_INLINE double upper(double a) { return as<double>(as<u64>(a) & 0xffffffff00000000); }
LANE_INLINE double flushed64(double a) {
  u64 const bits = as<u64>(a);
  return as<double>((bits & 0x7ff0000000000000) == 0 ? bits & 0x8000000000000000 : bits);
}
template <class F> struct Upper {
  LANE_INLINE static double apply(double a) { return upper(flushed64(F::op(upper(flushed64(a))))); }
};

#define SINGLE1(name, F)                                                                                     \
  {name ".f32", map<Single<F, false, false>, float, float>}, {                                               \
    name ".ftz.f32", map<Single<F, true, false>, float, float>                                               \
  }
#define SINGLE2(name, F)                                                                                     \
  {name ".f32", map<Single<F, false, false>, float, float, float>}, {                                        \
    name ".ftz.f32", map<Single<F, true, false>, float, float, float>                                        \
  }
#define OFTEN2(name, F)                                                                                      \
  {name ".f32", map_masked<Single<F, false, false>, float, float, float>},                                   \
      {name ".ftz.f32", map_masked<Single<F, true, false>, float, float, float>}, {                          \
    name ".f64", map_masked<Double<F>, double, double, double>                                               \
  }
#define OFTEN2_SAT(name, F)                                                                                  \
  OFTEN2(name, F), {name ".sat.f32", map<Single<F, false, true>, float, float, float>}, {                    \
    name ".ftz.sat.f32", map<Single<F, true, true>, float, float, float>                                     \
  }
#define DOUBLE1(name, F)                                                                                     \
  { name ".f64", map<Double<F>, double, double> }
#define DOUBLE2(name, F)                                                                                     \
  { name ".f64", map<Double<F>, double, double, double> }

constexpr Entry entries[] = {
    OFTEN2_SAT("add", Add),
    OFTEN2_SAT("sub", Sub),
    OFTEN2_SAT("mul", Mul),
    SINGLE2("div", Div),
    SINGLE2("div.approx", DivApprox),
    SINGLE2("div.full", Div),
    OFTEN2("min", Min),
    OFTEN2("max", Max),
    SINGLE2("min.NaN", MinNan),
    SINGLE2("max.NaN", MaxNan),
    SINGLE1("sqrt", Sqrt),
    SINGLE1("sqrt.approx", Sqrt),
    SINGLE1("rcp", Rcp),
    SINGLE1("rcp.approx", Rcp),
    SINGLE1("rsqrt.approx", Rsqrt),
    {"fma.f32", map_masked<Single<Fma, false, false>, float, float, float, float>},
    {"fma.ftz.f32", map_masked<Single<Fma, true, false>, float, float, float, float>},
    {"fma.sat.f32", map<Single<Fma, false, true>, float, float, float, float>},
    {"fma.ftz.sat.f32", map<Single<Fma, true, true>, float, float, float, float>},
    {"neg.f32", map_masked<Neg<false>, float, float>},
    {"neg.ftz.f32", map<Neg<true>, float, float>},
    {"abs.f32", map_masked<Abs<false>, float, float>},
    {"abs.ftz.f32", map<Abs<true>, float, float>},
    {"neg.f64", map_masked<Neg64, u64, u64>},
    {"abs.f64", map_masked<Abs64, u64, u64>},
    {"copysign.f32", map<CopySign, u32, u32, u32>},
    {"copysign.f64", map<CopySign, u64, u64, u64>},
    DOUBLE2("div", Div),
    DOUBLE1("sqrt", Sqrt),
    DOUBLE1("rcp", Rcp),
    DOUBLE1("rsqrt.approx", Rsqrt),
    {"rcp.approx.ftz.f64", map<Upper<Rcp>, double, double>},
    {"rsqrt.approx.ftz.f64", map<Upper<Rsqrt>, double, double>},
    {"fma.f64", map_masked<Double<Fma>, double, double, double, double>},
};

} // namespace

Table float_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
