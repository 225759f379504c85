// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic, PTX ISA 9.7.1 and 9.7.2 (extended precision).
#include "domA/device/software/exec/lanes/lanes.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

template <class T> struct Widen;
template <> struct Widen<u16> { using type = u32; };
template <> struct Widen<s16> { using type = s32; };
template <> struct Widen<u32> { using type = u64; };
template <> struct Widen<s32> { using type = s64; };
template <> struct Widen<u64> { using type = u128; };
template <> struct Widen<s64> { using type = s128; };
template <class T> using Wide = typename Widen<T>::type;

struct Add {
  template <class T> LANE_INLINE static T apply(T a, T b) { return static_cast<T>(a + b); }
};
struct Sub {
  template <class T> LANE_INLINE static T apply(T a, T b) { return static_cast<T>(a - b); }
};
struct MulLo {
  template <class T> LANE_INLINE static T apply(T a, T b) {
    return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
  }
  LANE_INLINE static u32 apply(u32 a, u32 b) { return a * b; }
  LANE_INLINE static u16 apply(u16 a, u16 b) { return static_cast<u16>(u32{a} * u32{b}); }
};
struct MulHi {
  template <class T> LANE_INLINE static T apply(T a, T b) {
    return static_cast<T>((static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)) >> bits_in<T>);
  }
};
struct MulWide {
  template <class T> LANE_INLINE static Wide<T> apply(T a, T b) {
    return static_cast<Wide<T>>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
  }
};
template <class Mul> struct MadOf {
  template <class T, class C> LANE_INLINE static C apply(T a, T b, C c) {
    return static_cast<C>(static_cast<u64>(Mul::apply(a, b)) + static_cast<u64>(c));
  }
};
using MadLo = MadOf<MulLo>;
using MadHi = MadOf<MulHi>;
using MadWide = MadOf<MulWide>;

LANE_INLINE s32 saturate(s64 v) {
  v = v > 0x7fffffff ? 0x7fffffff : v;
  v = v < -s64{0x80000000} ? -s64{0x80000000} : v;
  return static_cast<s32>(v);
}
struct AddSat {
  LANE_INLINE static s32 apply(s32 a, s32 b) { return saturate(s64{a} + s64{b}); }
};
struct SubSat {
  LANE_INLINE static s32 apply(s32 a, s32 b) { return saturate(s64{a} - s64{b}); }
};
struct MadHiSat {
  LANE_INLINE static s32 apply(s32 a, s32 b, s32 c) { return saturate(((s64{a} * s64{b}) >> 32) + s64{c}); }
};

template <class T> LANE_INLINE s64 low24(T a) {
  return is_signed<T> ? static_cast<s64>(static_cast<u64>(static_cast<s64>(a)) << 40) >> 40
                      : static_cast<s64>(static_cast<u64>(a) & 0xffffff);
}
struct Mul24Lo {
  template <class T> LANE_INLINE static T apply(T a, T b) { return static_cast<T>(low24(a) * low24(b)); }
};
struct Mul24Hi {
  template <class T> LANE_INLINE static T apply(T a, T b) {
    return static_cast<T>((low24(a) * low24(b)) >> 16);
  }
};
struct Mad24HiSat {
  LANE_INLINE static s32 apply(s32 a, s32 b, s32 c) { return saturate(s64{Mul24Hi::apply(a, b)} + s64{c}); }
};

// PTX does not define division by zero; the hardware's code gives all ones for quotient and remainder.
// 32-bit: the truncated double quotient of two 32-bit integers is exact (an error would need 54 bits).
struct Div {
  LANE_INLINE static u32 apply(u32 a, u32 b) {
    u32 const q =
        static_cast<u32>(static_cast<u64>(static_cast<double>(a) / static_cast<double>(b == 0 ? 1 : b)));
    return b == 0 ? all_lanes : q;
  }
  LANE_INLINE static s32 apply(s32 a, s32 b) {
    double const q = static_cast<double>(a) / static_cast<double>(b == 0 ? 1 : b);
    return b == 0 ? -1 : static_cast<s32>(static_cast<u32>(static_cast<s64>(q)));
  }
  LANE_INLINE static u64 apply(u64 a, u64 b) { return b == 0 ? ~u64{0} : a / b; }
  LANE_INLINE static s64 apply(s64 a, s64 b) {
    if (b == 0) return -1;
    return b == -1 ? static_cast<s64>(0 - static_cast<u64>(a)) : a / b;
  }
  LANE_INLINE static u16 apply(u16 a, u16 b) { return static_cast<u16>(apply(u32{a}, u32{b})); }
  LANE_INLINE static s16 apply(s16 a, s16 b) { return static_cast<s16>(apply(s32{a}, s32{b})); }
};
struct Rem {
  LANE_INLINE static u32 apply(u32 a, u32 b) { return b == 0 ? all_lanes : a - Div::apply(a, b) * b; }
  LANE_INLINE static s32 apply(s32 a, s32 b) {
    u32 const q = static_cast<u32>(Div::apply(a, b));
    return b == 0 ? -1 : static_cast<s32>(static_cast<u32>(a) - q * static_cast<u32>(b));
  }
  LANE_INLINE static u64 apply(u64 a, u64 b) { return b == 0 ? ~u64{0} : a % b; }
  LANE_INLINE static s64 apply(s64 a, s64 b) {
    if (b == 0) return -1;
    return b == -1 ? 0 : a % b;
  }
  LANE_INLINE static u16 apply(u16 a, u16 b) { return static_cast<u16>(apply(u32{a}, u32{b})); }
  LANE_INLINE static s16 apply(s16 a, s16 b) { return static_cast<s16>(apply(s32{a}, s32{b})); }
};

struct Min {
  template <class T> LANE_INLINE static T apply(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <class T> LANE_INLINE static T apply(T a, T b) { return a > b ? a : b; }
};
struct Neg {
  template <class T> LANE_INLINE static T apply(T a) {
    return static_cast<T>(0 - static_cast<Unsigned<T>>(a));
  }
};
struct Abs {
  template <class T> LANE_INLINE static T apply(T a) { return a < 0 ? Neg::apply(a) : a; }
};
struct Sad { // PTX ISA: c + |a - b|
  template <class T> LANE_INLINE static T apply(T a, T b, T c) {
    using U = Unsigned<T>;
    U const diff = a < b ? static_cast<U>(static_cast<U>(b) - static_cast<U>(a))
                         : static_cast<U>(static_cast<U>(a) - static_cast<U>(b));
    return static_cast<T>(static_cast<U>(c) + diff);
  }
};

// add.cc and its family: the carry in and out is bit i of Warp::carry. One loop serves operations with and
// without a carry in.
enum class Chain { add, sub, mad_lo, mad_hi };
template <class T, Chain kind, bool writes>
[[gnu::noinline]] Op const* chain_loop(Warp& w, Op const& op, bool reads) {
  T* const d = w.reg<T>(op.d);
  T const* const a = w.reg<T>(op.a);
  T const* const b = w.reg<T>(op.b);
  T const* const c = w.reg<T>(op.c);
  u32 const carry = reads ? w.carry : 0, m = w.active;
  alignas(32) u8 over[32];
  EACH_LANE {
    T const in = (carry & lane_bit[i]) != 0 ? T(1) : T(0);
    T x = a[i], y = b[i];
    if constexpr (kind == Chain::mad_lo) x = MulLo::apply(a[i], b[i]), y = c[i];
    if constexpr (kind == Chain::mad_hi) x = MulHi::apply(a[i], b[i]), y = c[i];
    T const sum = kind == Chain::sub ? x - y : x + y;
    T const result = kind == Chain::sub ? sum - in : sum + in;
    bool const first = kind == Chain::sub ? x < y : sum < x;
    bool const second = kind == Chain::sub ? sum < in : result < sum;
    over[i] = (first | second) ? 0xff : 0;
    d[i] = (m & lane_bit[i]) != 0 ? result : d[i];
  }
  if constexpr (writes) w.carry = (w.carry & ~m) | (mask_of(over) & m);
  return &op + 1;
}
template <class T, Chain kind, bool reads, bool writes> Op const* chain(Warp& w, Op const& op) {
  return chain_loop<T, kind, writes>(w, op, reads);
}

#define SAME2(name, F, T)                                                                                    \
  { name, map<F, T, T, T> }
#define SAME3(name, F, T)                                                                                    \
  { name, map<F, T, T, T, T> }
#define OFTEN2(name, F, T)                                                                                   \
  { name, map_masked<F, T, T, T> }
#define SIGNED2(name, F)                                                                                     \
  SAME2(name ".u16", F, u16), SAME2(name ".s16", F, s16), SAME2(name ".u32", F, u32),                        \
      SAME2(name ".s32", F, s32), SAME2(name ".u64", F, u64), SAME2(name ".s64", F, s64)
#define SIGNED3(name, F)                                                                                     \
  SAME3(name ".u16", F, u16), SAME3(name ".s16", F, s16), SAME3(name ".u32", F, u32),                        \
      SAME3(name ".s32", F, s32), SAME3(name ".u64", F, u64), SAME3(name ".s64", F, s64)
#define OFTEN_SIGNED2(name, F)                                                                               \
  SAME2(name ".u16", F, u16), SAME2(name ".s16", F, s16), OFTEN2(name ".u32", F, u32),                       \
      OFTEN2(name ".s32", F, s32), OFTEN2(name ".u64", F, u64), OFTEN2(name ".s64", F, s64)
#define OFTEN_PLAIN2(name, F)                                                                                \
  SAME2(name ".b16", F, u16), OFTEN2(name ".b32", F, u32), OFTEN2(name ".b64", F, u64)
#define WIDE2(T)                                                                                             \
  { "mul.wide." #T, map_masked<MulWide, Wide<T>, T, T> }
#define WIDE3(T)                                                                                             \
  { "mad.wide." #T, map_masked<MadWide, Wide<T>, T, T, Wide<T>> }
#define CHAIN(name, kind, T, t)                                                                              \
  {name ".cc." t, chain<T, kind, false, true>}, {name "c." t, chain<T, kind, true, false>}, {                \
    name "c.cc." t, chain<T, kind, true, true>                                                               \
  }

constexpr Entry entries[] = {
    OFTEN_PLAIN2("add", Add),
    OFTEN_PLAIN2("sub", Sub),
    OFTEN_PLAIN2("mul.lo", MulLo),
    SIGNED2("mul.hi", MulHi),
    WIDE2(u16),
    WIDE2(s16),
    WIDE2(u32),
    WIDE2(s32),
    SAME3("mad.lo.b16", MadLo, u16),
    {"mad.lo.b32", map_masked<MadLo, u32, u32, u32, u32>},
    {"mad.lo.b64", map_masked<MadLo, u64, u64, u64, u64>},
    SIGNED3("mad.hi", MadHi),
    WIDE3(u16),
    WIDE3(s16),
    WIDE3(u32),
    WIDE3(s32),
    SAME2("add.sat.s32", AddSat, s32),
    SAME2("sub.sat.s32", SubSat, s32),
    SAME3("mad.hi.sat.s32", MadHiSat, s32),
    SAME2("mul24.lo.u32", Mul24Lo, u32),
    SAME2("mul24.lo.s32", Mul24Lo, s32),
    SAME2("mul24.hi.u32", Mul24Hi, u32),
    SAME2("mul24.hi.s32", Mul24Hi, s32),
    SAME3("mad24.lo.u32", MadOf<Mul24Lo>, u32),
    SAME3("mad24.lo.s32", MadOf<Mul24Lo>, s32),
    SAME3("mad24.hi.u32", MadOf<Mul24Hi>, u32),
    SAME3("mad24.hi.s32", MadOf<Mul24Hi>, s32),
    SAME3("mad24.hi.sat.s32", Mad24HiSat, s32),
    SIGNED2("div", Div),
    SIGNED2("rem", Rem),
    OFTEN_SIGNED2("min", Min),
    OFTEN_SIGNED2("max", Max),
    {"neg.s16", map<Neg, s16, s16>},
    {"neg.s32", map_masked<Neg, s32, s32>},
    {"neg.s64", map_masked<Neg, s64, s64>},
    {"abs.s16", map<Abs, s16, s16>},
    {"abs.s32", map_masked<Abs, s32, s32>},
    {"abs.s64", map_masked<Abs, s64, s64>},
    SIGNED3("sad", Sad),
    CHAIN("add", Chain::add, u32, "b32"),
    CHAIN("add", Chain::add, u64, "b64"),
    CHAIN("sub", Chain::sub, u32, "b32"),
    CHAIN("sub", Chain::sub, u64, "b64"),
    {"mad.lo.cc.b32", chain<u32, Chain::mad_lo, false, true>},
    {"madc.lo.b32", chain<u32, Chain::mad_lo, true, false>},
    {"madc.lo.cc.b32", chain<u32, Chain::mad_lo, true, true>},
    {"mad.lo.cc.b64", chain<u64, Chain::mad_lo, false, true>},
    {"madc.lo.b64", chain<u64, Chain::mad_lo, true, false>},
    {"madc.lo.cc.b64", chain<u64, Chain::mad_lo, true, true>},
    {"mad.hi.cc.u32", chain<u32, Chain::mad_hi, false, true>},
    {"madc.hi.u32", chain<u32, Chain::mad_hi, true, false>},
    {"madc.hi.cc.u32", chain<u32, Chain::mad_hi, true, true>},
    {"mad.hi.cc.u64", chain<u64, Chain::mad_hi, false, true>},
    {"madc.hi.u64", chain<u64, Chain::mad_hi, true, false>},
    {"madc.hi.cc.u64", chain<u64, Chain::mad_hi, true, true>},
};

} // namespace

Table integer_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
