// SPDX-License-Identifier: Apache-2.0
// setp and selection: PTX ISA 9.7.6. `set` and the boolean combinations are lowered to these.
#include "domA/device/software/exec/lanes/float_rules.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

// Every comparison is one of these, of (a, b) or of (b, a), or its negation.
struct Eq {
  template <class T> LANE_INLINE static bool apply(T a, T b) { return a == b; }
};
struct Lt {
  template <class T> LANE_INLINE static bool apply(T a, T b) { return a < b; }
};
struct Le {
  template <class T> LANE_INLINE static bool apply(T a, T b) { return a <= b; }
};
struct Ne { // of two numbers
  template <class T> LANE_INLINE static bool apply(T a, T b) { return (a < b) | (a > b); }
};
struct Num {
  template <class T> LANE_INLINE static bool apply(T a, T b) { return (a == a) & (b == b); }
};
template <class F> struct Flushing {
  LANE_INLINE static bool apply(float a, float b) { return F::apply(flushed(a), flushed(b)); }
};

template <class F, class T> LANE_INLINE u32 truth_of(T const* a, T const* b) {
  alignas(32) u8 truth[32];
  EACH_LANE truth[i] = F::apply(a[i], b[i]) ? 0xff : 0;
  return mask_of(truth);
}

constexpr u32 plain = 0, opposite = all_lanes;
template <class F, class T, u32 flip> Op const* setp(Warp& w, Op const& op) {
  set_pred(w, op.d, truth_of<F>(w.reg<T>(op.a), w.reg<T>(op.b)) ^ flip);
  return &op + 1;
}
template <class F, class T, u32 flip> Op const* setp_swapped(Warp& w, Op const& op) {
  set_pred(w, op.d, truth_of<F>(w.reg<T>(op.b), w.reg<T>(op.a)) ^ flip);
  return &op + 1;
}

// Halves are compared in single precision. An f16x2 is compared by its lower and its upper half.
enum class Part { all, low, high };
template <Part part> [[gnu::noinline]] void widen(float* to, Warp const& w, u32 from, bool ftz) {
  u16 const kept = ftz ? 0x8000 : 0xffff; // of a subnormal
  auto const value = [kept](u16 h) { return from_half((h & 0x7c00) == 0 ? h & kept : h); };
  if constexpr (part == Part::all) {
    u16 const* const a = w.reg<u16>(from);
    EACH_LANE to[i] = value(a[i]);
  } else {
    u32 const* const a = w.reg<u32>(from);
    EACH_LANE to[i] = value(static_cast<u16>(part == Part::high ? a[i] >> 16 : a[i]));
  }
}
template <class F> [[gnu::noinline]] u32 truth_of_singles(float const* a, float const* b) {
  return truth_of<F>(a, b);
}
template <class F, Part part, bool ftz, bool swapped, u32 flip> Op const* setp_half(Warp& w, Op const& op) {
  alignas(64) float a[32], b[32];
  widen<part>(a, w, swapped ? op.b : op.a, ftz);
  widen<part>(b, w, swapped ? op.a : op.b, ftz);
  set_pred(w, op.d, truth_of_singles<F>(a, b) ^ flip);
  return &op + 1;
}

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

// slct: a if c >= 0, else b; a NaN c selects b. With .ftz a subnormal c is zero.
template <class T, class C> struct Slct {
  LANE_INLINE static T apply(T a, T b, C c) { return c >= C(0) ? a : b; }
};
struct SlctFtz {
  template <class T> LANE_INLINE static T apply(T a, T b, float c) { return flushed(c) >= 0.0f ? a : b; }
};

// testp
template <class F, class T> Op const* testp(Warp& w, Op const& op) {
  T const* const a = w.reg<T>(op.a);
  alignas(32) u8 truth[32];
  EACH_LANE truth[i] = F::apply(a[i]) ? 0xff : 0;
  set_pred(w, op.d, mask_of(truth));
  return &op + 1;
}
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

#define INTEGERS(op, handler, F, flip)                                                                       \
  {"setp." op ".u16", handler<F, u16, flip>}, {"setp." op ".s16", handler<F, s16, flip>},                    \
      {"setp." op ".u32", handler<F, u32, flip>}, {"setp." op ".s32", handler<F, s32, flip>},                \
      {"setp." op ".u64", handler<F, u64, flip>}, {                                                          \
    "setp." op ".s64", handler<F, s64, flip>                                                                 \
  }
#define BITWISE(op, flip)                                                                                    \
  {"setp." op ".b16", setp<Eq, u16, flip>}, {"setp." op ".b32", setp<Eq, u32, flip>}, {                      \
    "setp." op ".b64", setp<Eq, u64, flip>                                                                   \
  }
#define HALVES(op, part, type, F, swapped, flip)                                                             \
  {"setp." op "." type, setp_half<F, part, false, swapped, flip>}, {                                         \
    "setp." op ".ftz." type, setp_half<F, part, true, swapped, flip>                                         \
  }
#define FLOATS_BY(handler, op, F, swapped, flip)                                                             \
  {"setp." op ".f32", handler<F, float, flip>}, {"setp." op ".ftz.f32", handler<Flushing<F>, float, flip>},  \
      {"setp." op ".f64", handler<F, double, flip>}, HALVES(op, Part::all, "f16", F, swapped, flip),         \
      HALVES("lo." op, Part::low, "f16x2", F, swapped, flip),                                                \
      HALVES("hi." op, Part::high, "f16x2", F, swapped, flip)
#define FLOATS(op, F, flip) FLOATS_BY(setp, op, F, false, flip)
#define FLOATS_SWAPPED(op, F, flip) FLOATS_BY(setp_swapped, op, F, true, flip)
#define SLCT(t, T)                                                                                           \
  {"slct." t ".s32", map<Slct<T, s32>, T, T, T, s32>},                                                       \
      {"slct." t ".f32", map<Slct<T, float>, T, T, T, float>}, {                                             \
    "slct.ftz." t ".f32", map<SlctFtz, T, T, T, float>                                                       \
  }
#define TESTP(name, F)                                                                                       \
  {"testp." name ".f32", testp<F, float>}, { "testp." name ".f64", testp<F, double> }

constexpr Entry entries[] = {
    BITWISE("eq", plain),
    BITWISE("ne", opposite),
    INTEGERS("lt", setp, Lt, plain),
    INTEGERS("le", setp, Le, plain),
    INTEGERS("gt", setp_swapped, Lt, plain),
    INTEGERS("ge", setp_swapped, Le, plain),
    FLOATS("eq", Eq, plain),
    FLOATS("ne", Ne, plain),
    FLOATS("lt", Lt, plain),
    FLOATS("le", Le, plain),
    FLOATS_SWAPPED("gt", Lt, plain),
    FLOATS_SWAPPED("ge", Le, plain),
    FLOATS("equ", Ne, opposite),
    FLOATS("neu", Eq, opposite),
    FLOATS_SWAPPED("ltu", Le, opposite),
    FLOATS_SWAPPED("leu", Lt, opposite),
    FLOATS("gtu", Le, opposite),
    FLOATS("geu", Lt, opposite),
    FLOATS("num", Num, plain),
    FLOATS("nan", Num, opposite),
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
