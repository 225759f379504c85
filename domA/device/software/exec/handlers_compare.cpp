// SPDX-License-Identifier: Apache-2.0
// setp and selection: PTX ISA 9.7.6. `set` and the boolean combinations are lowered to these.
#include "domA/device/software/exec/float_rules.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

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

#define COMPARE(Name, expression)                                                                            \
  struct Name {                                                                                              \
    template <class T> LANE_INLINE static bool apply(T a, T b) { return expression; }                        \
  };
COMPARE(Eq, a == b)
COMPARE(Lt, a < b)
COMPARE(Le, a <= b)
COMPARE(Gt, a > b)
COMPARE(Ge, a >= b)
COMPARE(Neu, !(a == b)) // for integers this is ne
COMPARE(Ne, (a < b) | (a > b))
COMPARE(Equ, !((a < b) | (a > b)))
COMPARE(Ltu, !(a >= b))
COMPARE(Leu, !(a > b))
COMPARE(Gtu, !(a <= b))
COMPARE(Geu, !(a < b))
COMPARE(Num, (a == a) & (b == b))
COMPARE(Nan, (a != a) | (b != b))

template <class F> struct Flushing {
  LANE_INLINE static bool apply(float a, float b) { return F::apply(flushed(a), flushed(b)); }
};
template <class F, bool ftz> struct Halves {
  LANE_INLINE static bool apply(u16 a, u16 b) {
    return ftz ? F::apply(from_half(flushed16(a)), from_half(flushed16(b)))
               : F::apply(from_half(a), from_half(b));
  }
};
// One of the two halves of an f16x2.
template <class F, bool ftz, bool high> struct HalfOf {
  LANE_INLINE static bool apply(u32 a, u32 b) {
    return Halves<F, ftz>::apply(static_cast<u16>(high ? a >> 16 : a), static_cast<u16>(high ? b >> 16 : b));
  }
};

// d = p ? a : b
template <class T> Op const* selp(Warp& w, Op const& op) {
  T* const d = w.reg<T>(op.d);
  T const* const a = w.reg<T>(op.a);
  T const* const b = w.reg<T>(op.b);
  u32 const p = w.pred(op.c);
  if (w.full) {
    EACH_LANE d[i] = (p & lane_bit[i]) != 0 ? a[i] : b[i];
  } else {
    u32 const m = w.active;
    EACH_LANE {
      T const r = (p & lane_bit[i]) != 0 ? a[i] : b[i];
      d[i] = (m & lane_bit[i]) != 0 ? r : d[i];
    }
  }
  return &op + 1;
}
Op const* selp_pred(Warp& w, Op const& op) {
  u32 const p = w.pred(op.c);
  set_pred(w, op.d, (w.pred(op.a) & p) | (w.pred(op.b) & ~p));
  return &op + 1;
}

// slct: a if c >= 0 else b; a NaN c chooses b.
template <class T, class C> struct Slct {
  LANE_INLINE static T apply(T a, T b, C c) { return c >= C(0) ? a : b; }
};
struct SlctFtz {
  template <class T> LANE_INLINE static T apply(T a, T b, float c) { return flushed(c) >= 0.0f ? a : b; }
};

struct Finite {
  template <class T> LANE_INLINE static bool apply(T a) { return a - a == a - a; }
};
struct Infinite {
  template <class T> LANE_INLINE static bool apply(T a) { return !(a - a == a - a) & (a == a); }
};
struct Number {
  template <class T> LANE_INLINE static bool apply(T a) { return a == a; }
};
struct NotANumber {
  template <class T> LANE_INLINE static bool apply(T a) { return a != a; }
};
LANE_INLINE u32 exponent(float a) { return as<u32>(a) >> 23 & 0xff; }
LANE_INLINE u32 exponent(double a) { return static_cast<u32>(as<u64>(a) >> 52) & 0x7ff; }
// Zero counts as normal (PTX ISA 9.7.3.1).
struct Normal {
  LANE_INLINE static bool apply(float a) { return (exponent(a) - 1 < 0xfe) | (a == 0); }
  LANE_INLINE static bool apply(double a) { return (exponent(a) - 1 < 0x7fe) | (a == 0); }
};
struct Subnormal {
  template <class T> LANE_INLINE static bool apply(T a) { return (exponent(a) == 0) & (a != 0); }
};

#define ORDERED(op, F)                                                                                       \
  {"setp." op ".u16", test2<F, u16>}, {"setp." op ".s16", test2<F, s16>},                                    \
      {"setp." op ".u32", test2<F, u32>}, {"setp." op ".s32", test2<F, s32>},                                \
      {"setp." op ".u64", test2<F, u64>}, {                                                                  \
    "setp." op ".s64", test2<F, s64>                                                                         \
  }
#define BITWISE(op, F)                                                                                       \
  {"setp." op ".b16", test2<F, u16>}, {"setp." op ".b32", test2<F, u32>}, { "setp." op ".b64", test2<F, u64> }
#define FLOATS(op, F)                                                                                        \
  {"setp." op ".f32", test2<F, float>}, {"setp." op ".ftz.f32", test2<Flushing<F>, float>},                  \
      {"setp." op ".f64", test2<F, double>}, {"setp." op ".f16", test2<Halves<F, false>, u16>},              \
      {"setp." op ".ftz.f16", test2<Halves<F, true>, u16>},                                                  \
      {"setp.lo." op ".f16x2", test2<HalfOf<F, false, false>, u32>},                                         \
      {"setp.hi." op ".f16x2", test2<HalfOf<F, false, true>, u32>},                                          \
      {"setp.lo." op ".ftz.f16x2", test2<HalfOf<F, true, false>, u32>}, {                                    \
    "setp.hi." op ".ftz.f16x2", test2<HalfOf<F, true, true>, u32>                                            \
  }
#define SLCT(t, T)                                                                                           \
  {"slct." t ".s32", map<Slct<T, s32>, T, T, T, s32>},                                                       \
      {"slct." t ".f32", map<Slct<T, float>, T, T, T, float>}, {                                             \
    "slct.ftz." t ".f32", map<SlctFtz, T, T, T, float>                                                       \
  }
#define TESTP(name, F)                                                                                       \
  {"testp." name ".f32", test1<F, float>}, { "testp." name ".f64", test1<F, double> }

constexpr Entry entries[] = {
    BITWISE("eq", Eq),
    BITWISE("ne", Neu),
    ORDERED("lt", Lt),
    ORDERED("le", Le),
    ORDERED("gt", Gt),
    ORDERED("ge", Ge),
    FLOATS("eq", Eq),
    FLOATS("ne", Ne),
    FLOATS("lt", Lt),
    FLOATS("le", Le),
    FLOATS("gt", Gt),
    FLOATS("ge", Ge),
    FLOATS("equ", Equ),
    FLOATS("neu", Neu),
    FLOATS("ltu", Ltu),
    FLOATS("leu", Leu),
    FLOATS("gtu", Gtu),
    FLOATS("geu", Geu),
    FLOATS("num", Num),
    FLOATS("nan", Nan),
    {"selp.b16", selp<u16>},
    {"selp.b32", selp<u32>},
    {"selp.b64", selp<u64>},
    {"selp.pred", selp_pred},
    SLCT("b16", u16),
    SLCT("b32", u32),
    SLCT("b64", u64),
    TESTP("finite", Finite),
    TESTP("infinite", Infinite),
    TESTP("number", Number),
    TESTP("notanumber", NotANumber),
    TESTP("normal", Normal),
    TESTP("subnormal", Subnormal),
};

} // namespace

Table compare_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
