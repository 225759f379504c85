// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, bit fields and packed bytes: PTX ISA 9.7.1 (bit operations), 9.7.8, 9.7.20 (video).
#include "domA/device/software/exec/lanes/lanes.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

struct And {
  template <class T> LANE_INLINE static T apply(T a, T b) { return static_cast<T>(a & b); }
};
struct Or {
  template <class T> LANE_INLINE static T apply(T a, T b) { return static_cast<T>(a | b); }
};
struct Xor {
  template <class T> LANE_INLINE static T apply(T a, T b) { return static_cast<T>(a ^ b); }
};
struct Not {
  template <class T> LANE_INLINE static T apply(T a) { return static_cast<T>(~a); }
};
struct CNot {
  template <class T> LANE_INLINE static T apply(T a) { return a == 0 ? T(1) : T(0); }
};

// Shift amounts beyond the width clamp to it.
struct Shl {
  template <class T> LANE_INLINE static T apply(T a, u32 b) {
    return b >= bits_in<T> ? T(0) : static_cast<T>(a << (b & (bits_in<T> - 1)));
  }
};
struct Shr {
  template <class T> LANE_INLINE static T apply(T a, u32 b) {
    if constexpr (is_signed<T>) {
      u32 const n = b >= bits_in<T> ? bits_in<T> - 1 : b;
      return static_cast<T>(a >> n);
    } else {
      return b >= bits_in<T> ? T(0) : static_cast<T>(a >> (b & (bits_in<T> - 1)));
    }
  }
};
LANE_INLINE u64 funnel(u32 lo, u32 hi) { return u64{hi} << 32 | lo; }
template <bool left, bool wrap> struct Shf {
  LANE_INLINE static u32 apply(u32 a, u32 b, u32 c) {
    u32 const n = wrap ? c & 31 : (c > 32 ? 32 : c);
    return static_cast<u32>(left ? (funnel(a, b) << n) >> 32 : funnel(a, b) >> n);
  }
};

LANE_INLINE u32 count_ones(u32 a) { return static_cast<u32>(__builtin_popcount(a)); }
LANE_INLINE u32 count_ones(u64 a) { return static_cast<u32>(__builtin_popcountll(a)); }
LANE_INLINE u32 leading_zeros(u32 a) { return a == 0 ? 32 : static_cast<u32>(__builtin_clz(a)); }
LANE_INLINE u32 leading_zeros(u64 a) { return a == 0 ? 64 : static_cast<u32>(__builtin_clzll(a)); }

struct Popc {
  template <class T> LANE_INLINE static u32 apply(T a) { return count_ones(a); }
};
struct Clz {
  template <class T> LANE_INLINE static u32 apply(T a) { return leading_zeros(a); }
};
template <class U, bool shift_amount, bool sign> struct Bfind {
  LANE_INLINE static u32 apply(U a) {
    U const v = sign && (a >> (bits_in<U> - 1)) != 0 ? static_cast<U>(~a) : a;
    if (v == 0) return all_lanes;
    u32 const zeros = leading_zeros(v);
    return shift_amount ? zeros : bits_in<U> - 1 - zeros;
  }
};
LANE_INLINE u32 reversed(u32 v) {
  v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
  v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
  v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(v);
}
struct Brev {
  LANE_INLINE static u32 apply(u32 a) { return reversed(a); }
  LANE_INLINE static u64 apply(u64 a) {
    return u64{reversed(static_cast<u32>(a))} << 32 | reversed(static_cast<u32>(a >> 32));
  }
};

template <class U> LANE_INLINE U ones(u32 n) {
  return n >= bits_in<U> ? static_cast<U>(~U(0)) : (U(1) << n) - U(1);
}
template <class U, bool sign> struct Bfe {
  LANE_INLINE static U apply(U a, u32 b, u32 c) {
    u32 const pos = b & 0xff, len = c & 0xff;
    u32 const last = pos + len - 1 < bits_in<U> - 1 ? pos + len - 1 : bits_in<U> - 1;
    U const top = sign && len != 0 ? a >> last & 1 : U(0);
    U const field = pos >= bits_in<U> ? U(0) : a >> pos;
    u32 const have = pos >= bits_in<U> ? 0 : bits_in<U> - pos; // bits of a at or above pos
    u32 const keep = len < have ? len : have;
    U const m = ones<U>(keep);
    return (field & m) | (top != 0 ? ~m : U(0));
  }
};
template <class U> struct Bfi {
  LANE_INLINE static U apply(U a, U b, u32 c, u32 e) {
    u32 const pos = c & 0xff, len = e & 0xff;
    if (pos >= bits_in<U>) return b;
    U const m = static_cast<U>(ones<U>(len) << pos);
    return (b & ~m) | (static_cast<U>(a << pos) & m);
  }
};
template <bool wrap> struct Bmsk {
  LANE_INLINE static u32 apply(u32 a, u32 b) {
    u32 const pos = wrap ? a & 31 : a, len = wrap ? b & 31 : b;
    return pos >= 32 ? 0 : ones<u32>(len) << pos;
  }
};
template <bool wrap, bool sign> struct Szext {
  LANE_INLINE static u32 apply(u32 a, u32 b) {
    u32 const n = wrap ? b & 31 : (b > 32 ? 32 : b);
    if (n == 0) return 0;
    u32 const m = ones<u32>(n);
    return sign && (a >> (n - 1) & 1) != 0 ? a | ~m : a & m;
  }
};

struct PrmtDefault {
  LANE_INLINE static u32 apply(u32 a, u32 b, u32 c) {
    u64 const bytes = funnel(a, b);
    u32 r = 0;
    for (u32 k = 0; k < 4; ++k) {
      u32 const sel = c >> (4 * k) & 0xf;
      u32 byte = static_cast<u32>(bytes >> (8 * (sel & 7))) & 0xff;
      byte = (sel & 8) != 0 ? ((byte & 0x80) != 0 ? 0xffu : 0u) : byte;
      r |= byte << (8 * k);
    }
    return r;
  }
};
// A mode selects four selectors by c & 3 (PTX ISA table of prmt modes).
[[gnu::noinline]] void permute(u32* d, u32 const* a, u32 const* b, u32 const* c) {
  EACH_LANE d[i] = PrmtDefault::apply(a[i], b[i], c[i]);
}
template <u32 s0, u32 s1, u32 s2, u32 s3> Op const* prmt(Warp& w, Op const& op) {
  alignas(64) u32 r[32], selector[32];
  u32 const* const c = w.reg<u32>(op.c);
  EACH_LANE selector[i] = (c[i] & 2) != 0 ? ((c[i] & 1) != 0 ? s3 : s2) : ((c[i] & 1) != 0 ? s1 : s0);
  permute(r, w.reg<u32>(op.a), w.reg<u32>(op.b), selector);
  blend(w.full ? all_lanes : w.active, w.reg<u32>(op.d), r);
  return &op + 1;
}

// The table is the same for all lanes: imm, checked during lowering.
Op const* lop3(Warp& w, Op const& op) {
  u32* const d = w.reg<u32>(op.d);
  u32 const* const a = w.reg<u32>(op.a);
  u32 const* const b = w.reg<u32>(op.b);
  u32 const* const c = w.reg<u32>(op.c);
  u32 term[8];
  for (u32 k = 0; k < 8; ++k)
    term[k] = (op.imm >> k & 1) != 0 ? all_lanes : 0;
  u32 const m = w.full ? all_lanes : w.active;
  EACH_LANE {
    u32 const x = a[i], y = b[i], z = c[i];
    u32 const hi = (((term[7] & z) | (term[6] & ~z)) & y) | (((term[5] & z) | (term[4] & ~z)) & ~y);
    u32 const lo = (((term[3] & z) | (term[2] & ~z)) & y) | (((term[1] & z) | (term[0] & ~z)) & ~y);
    u32 const r = (x & hi) | (~x & lo);
    d[i] = (m & lane_bit[i]) != 0 ? r : d[i];
  }
  return &op + 1;
}

template <bool sign> LANE_INLINE s32 byte_of(u32 v, u32 k) {
  u32 const b = v >> (8 * k) & 0xff;
  return sign ? static_cast<s32>(b ^ 0x80) - 0x80 : static_cast<s32>(b);
}
template <bool sign> LANE_INLINE s32 half_of(u32 v, u32 k) {
  u32 const h = v >> (16 * k) & 0xffff;
  return sign ? static_cast<s32>(h ^ 0x8000) - 0x8000 : static_cast<s32>(h);
}
template <bool sa, bool sb> struct Dp4a {
  LANE_INLINE static u32 apply(u32 a, u32 b, u32 c) {
    for (u32 k = 0; k < 4; ++k)
      c += static_cast<u32>(byte_of<sa>(a, k) * byte_of<sb>(b, k));
    return c;
  }
};
template <bool sa, bool sb, bool high> struct Dp2a {
  LANE_INLINE static u32 apply(u32 a, u32 b, u32 c) {
    for (u32 k = 0; k < 2; ++k)
      c += static_cast<u32>(half_of<sa>(a, k) * byte_of<sb>(b, k + (high ? 2 : 0)));
    return c;
  }
};
// vabsdiff4 and vabsdiff2 without byte selection: |a - b| of each part, stored in place or (.add)
// summed with c.
template <u32 parts, bool sa, bool sb, bool sum> struct VAbsDiff {
  LANE_INLINE static u32 apply(u32 a, u32 b, u32 c) {
    u32 r = sum ? c : 0;
    for (u32 k = 0; k < parts; ++k) {
      s32 const x = parts == 4 ? byte_of<sa>(a, k) : half_of<sa>(a, k);
      s32 const y = parts == 4 ? byte_of<sb>(b, k) : half_of<sb>(b, k);
      u32 const diff = static_cast<u32>(x < y ? y - x : x - y);
      r = sum ? r + diff : r | (diff & ones<u32>(32 / parts)) << (32 / parts * k);
    }
    return r;
  }
};

Op const* and_pred(Warp& w, Op const& op) { return set_pred(w, op.d, w.pred(op.a) & w.pred(op.b)), &op + 1; }
Op const* or_pred(Warp& w, Op const& op) { return set_pred(w, op.d, w.pred(op.a) | w.pred(op.b)), &op + 1; }
Op const* xor_pred(Warp& w, Op const& op) { return set_pred(w, op.d, w.pred(op.a) ^ w.pred(op.b)), &op + 1; }
Op const* not_pred(Warp& w, Op const& op) { return set_pred(w, op.d, ~w.pred(op.a)), &op + 1; }

#define LOGIC2(name, F)                                                                                      \
  {name ".b16", map<F, u16, u16, u16>}, {name ".b32", map_masked<F, u32, u32, u32>}, {                       \
    name ".b64", map_masked<F, u64, u64, u64>                                                                \
  }
#define LOGIC1(name, F)                                                                                      \
  {name ".b16", map<F, u16, u16>}, {name ".b32", map<F, u32, u32>}, { name ".b64", map<F, u64, u64> }
#define SHIFT(name, F, T, t)                                                                                 \
  { name "." t, map_masked<F, T, T, u32> }
#define TERNARY(name, ...)                                                                                   \
  { name, map<__VA_ARGS__, u32, u32, u32, u32> }
#define SIGNS(name, ...)                                                                                     \
  TERNARY(name ".u32.u32", __VA_ARGS__<false, false>), TERNARY(name ".u32.s32", __VA_ARGS__<false, true>),   \
      TERNARY(name ".s32.u32", __VA_ARGS__<true, false>), TERNARY(name ".s32.s32", __VA_ARGS__<true, true>)
template <bool sa, bool sb> using Dp2aLo = Dp2a<sa, sb, false>;
template <bool sa, bool sb> using Dp2aHi = Dp2a<sa, sb, true>;
template <bool sa, bool sb> using Diff4 = VAbsDiff<4, sa, sb, false>;
template <bool sa, bool sb> using Diff4Add = VAbsDiff<4, sa, sb, true>;
template <bool sa, bool sb> using Diff2 = VAbsDiff<2, sa, sb, false>;
template <bool sa, bool sb> using Diff2Add = VAbsDiff<2, sa, sb, true>;

constexpr Entry entries[] = {
    LOGIC2("and", And),
    LOGIC2("or", Or),
    LOGIC2("xor", Xor),
    LOGIC1("not", Not),
    LOGIC1("cnot", CNot),
    {"and.pred", and_pred},
    {"or.pred", or_pred},
    {"xor.pred", xor_pred},
    {"not.pred", not_pred},
    {"shl.b16", map<Shl, u16, u16, u32>},
    SHIFT("shl", Shl, u32, "b32"),
    SHIFT("shl", Shl, u64, "b64"),
    {"shr.u16", map<Shr, u16, u16, u32>},
    SHIFT("shr", Shr, u32, "u32"),
    SHIFT("shr", Shr, u64, "u64"),
    {"shr.b16", map<Shr, u16, u16, u32>},
    SHIFT("shr", Shr, u32, "b32"),
    SHIFT("shr", Shr, u64, "b64"),
    {"shr.s16", map<Shr, s16, s16, u32>},
    SHIFT("shr", Shr, s32, "s32"),
    SHIFT("shr", Shr, s64, "s64"),
    TERNARY("shf.l.wrap.b32", Shf<true, true>),
    TERNARY("shf.l.clamp.b32", Shf<true, false>),
    TERNARY("shf.r.wrap.b32", Shf<false, true>),
    TERNARY("shf.r.clamp.b32", Shf<false, false>),
    {"popc.b32", map<Popc, u32, u32>},
    {"popc.b64", map<Popc, u32, u64>},
    {"clz.b32", map<Clz, u32, u32>},
    {"clz.b64", map<Clz, u32, u64>},
    {"bfind.u32", map<Bfind<u32, false, false>, u32, u32>},
    {"bfind.s32", map<Bfind<u32, false, true>, u32, u32>},
    {"bfind.u64", map<Bfind<u64, false, false>, u32, u64>},
    {"bfind.s64", map<Bfind<u64, false, true>, u32, u64>},
    {"bfind.shiftamt.u32", map<Bfind<u32, true, false>, u32, u32>},
    {"bfind.shiftamt.s32", map<Bfind<u32, true, true>, u32, u32>},
    {"bfind.shiftamt.u64", map<Bfind<u64, true, false>, u32, u64>},
    {"bfind.shiftamt.s64", map<Bfind<u64, true, true>, u32, u64>},
    {"brev.b32", map<Brev, u32, u32>},
    {"brev.b64", map<Brev, u64, u64>},
    {"bfe.u32", map<Bfe<u32, false>, u32, u32, u32, u32>},
    {"bfe.s32", map<Bfe<u32, true>, u32, u32, u32, u32>},
    {"bfe.u64", map<Bfe<u64, false>, u64, u64, u32, u32>},
    {"bfe.s64", map<Bfe<u64, true>, u64, u64, u32, u32>},
    {"bfi.b32", map<Bfi<u32>, u32, u32, u32, u32, u32>},
    {"bfi.b64", map<Bfi<u64>, u64, u64, u64, u32, u32>},
    {"bmsk.clamp.b32", map<Bmsk<false>, u32, u32, u32>},
    {"bmsk.wrap.b32", map<Bmsk<true>, u32, u32, u32>},
    {"szext.clamp.u32", map<Szext<false, false>, u32, u32, u32>},
    {"szext.clamp.s32", map<Szext<false, true>, u32, u32, u32>},
    {"szext.wrap.u32", map<Szext<true, false>, u32, u32, u32>},
    {"szext.wrap.s32", map<Szext<true, true>, u32, u32, u32>},
    TERNARY("prmt.b32", PrmtDefault),
    {"prmt.f4e.b32", prmt<0x3210, 0x4321, 0x5432, 0x6543>},
    {"prmt.b4e.b32", prmt<0x5670, 0x6701, 0x7012, 0x0123>},
    {"prmt.rc8.b32", prmt<0x0000, 0x1111, 0x2222, 0x3333>},
    {"prmt.ecl.b32", prmt<0x3210, 0x3211, 0x3222, 0x3333>},
    {"prmt.ecr.b32", prmt<0x0000, 0x1110, 0x2210, 0x3210>},
    {"prmt.rc16.b32", prmt<0x1010, 0x3232, 0x1010, 0x3232>},
    {"lop3.b32", lop3},
    SIGNS("dp4a", Dp4a),
    SIGNS("dp2a.lo", Dp2aLo),
    SIGNS("dp2a.hi", Dp2aHi),
    SIGNS("vabsdiff4", Diff4),
    SIGNS("vabsdiff4.add", Diff4Add),
    SIGNS("vabsdiff2", Diff2),
    SIGNS("vabsdiff2.add", Diff2Add),
};

} // namespace

Table bits_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
