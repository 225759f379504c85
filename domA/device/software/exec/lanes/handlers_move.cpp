// SPDX-License-Identifier: Apache-2.0
// Copies, changes of register width, packing and unpacking (mov, PTX ISA 9.7.9.3 and 9.7.9.4), and cvt from
// integer to integer (9.7.9.21). Keys for the same function of the registers' bits share one handler.
#include "domA/device/software/exec/lanes/lanes.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

// Integer to integer: the narrower type decides. S matters if the source is extended, D if the result is
// 8 bits wide.
template <class D, class S> struct IntToInt {
  LANE_INLINE static Stored<D> apply(Stored<S> a) { return static_cast<D>(static_cast<S>(a)); }
};
template <class D, class S> constexpr Handler int_to_int() {
  using To = Unsigned<D>;
  using From = Unsigned<Stored<S>>;
  if constexpr (sizeof(D) == 2 && sizeof(S) == 1)
    return map<IntToInt<To, S>, To, Stored<S>>;
  else if constexpr (sizeof(D) <= 2)
    return map<IntToInt<To, From>, Stored<To>, From>;
  else if constexpr (sizeof(D) > sizeof(S))
    return map_masked<IntToInt<To, S>, To, Stored<S>>;
  else
    return map_masked<IntToInt<To, From>, To, From>;
}

// .sat: clamps to the range of D where values of S can exceed it.
template <class D, class S> struct IntToIntSat {
  static constexpr bool bounded_below = is_signed<S> && (!is_signed<D> || sizeof(D) < sizeof(S));
  static constexpr bool bounded_above = bits_in<D> - is_signed<D> < bits_in<S> - is_signed<S>;
  LANE_INLINE static Stored<D> apply(Stored<S> a) {
    S v = static_cast<S>(a);
    if constexpr (bounded_below) v = v < static_cast<S>(lowest<D>) ? static_cast<S>(lowest<D>) : v;
    if constexpr (bounded_above) v = v > static_cast<S>(highest<D>) ? static_cast<S>(highest<D>) : v;
    return static_cast<D>(v);
  }
};
template <class D, class S> constexpr Handler int_to_int_sat() {
  using F = IntToIntSat<D, S>;
  if constexpr (F::bounded_below || F::bounded_above)
    return map<F, Stored<D>, Stored<S>>;
  else
    return int_to_int<D, S>();
}

Op const* mov_pred(Warp& w, Op const& op) { return set_pred(w, op.d, w.pred(op.a)), &op + 1; }

struct Pack32 {
  LANE_INLINE static u32 apply(u16 a, u16 b) { return u32{a} | u32{b} << 16; }
};
struct Pack64 {
  LANE_INLINE static u64 apply(u32 a, u32 b) { return u64{a} | u64{b} << 32; }
};
struct Pack64Of4 {
  LANE_INLINE static u64 apply(u16 a, u16 b, u16 c, u16 e) {
    return u64{a} | u64{b} << 16 | u64{c} << 32 | u64{e} << 48;
  }
};
// {extra[0], extra[1], ...} = a
template <class Whole, class Part> Op const* unpack(Warp& w, Op const& op) {
  Whole const* const a = w.reg<Whole>(op.a);
  u32 const m = w.full ? all_lanes : w.active;
  for (u32 k = 0; k < op.count; ++k) {
    Part* const d = w.reg<Part>(op.extra[k]);
    u32 const shift = k * static_cast<u32>(sizeof(Part)) * 8;
    EACH_LANE {
      Part const r = static_cast<Part>(a[i] >> shift);
      d[i] = (m & lane_bit[i]) != 0 ? r : d[i];
    }
  }
  return &op + 1;
}

// A predicate as a number: all ones or `imm`'s value, for `set`.
template <class T> Op const* from_pred(Warp& w, Op const& op) {
  T* const d = w.reg<T>(op.d);
  u32 const p = w.pred(op.a);
  T const yes = static_cast<T>(op.imm);
  u32 const m = w.full ? all_lanes : w.active;
  EACH_LANE {
    T const r = (p & lane_bit[i]) != 0 ? yes : T(0);
    d[i] = (m & lane_bit[i]) != 0 ? r : d[i];
  }
  return &op + 1;
}

#define INT_TO_INT(D, S)                                                                                     \
  {"cvt." #D "." #S, int_to_int<D, S>()}, { "cvt.sat." #D "." #S, int_to_int_sat<D, S>() }
#define TO_INT(D)                                                                                            \
  INT_TO_INT(D, u8), INT_TO_INT(D, s8), INT_TO_INT(D, u16), INT_TO_INT(D, s16), INT_TO_INT(D, u32),          \
      INT_TO_INT(D, s32), INT_TO_INT(D, u64), INT_TO_INT(D, s64)

constexpr Entry entries[] = {
    TO_INT(u8),
    TO_INT(s8),
    TO_INT(u16),
    TO_INT(s16),
    TO_INT(u32),
    TO_INT(s32),
    TO_INT(u64),
    TO_INT(s64),
    {"cvt.f64.f64", int_to_int<u64, u64>()},
    {"mov.b16", int_to_int<u16, u16>()},
    {"mov.b32", int_to_int<u32, u32>()},
    {"mov.b64", int_to_int<u64, u64>()},
    {"widen.u.16.32", int_to_int<u32, u16>()},
    {"widen.u.16.64", int_to_int<u64, u16>()},
    {"widen.u.32.64", int_to_int<u64, u32>()},
    {"widen.s.16.32", int_to_int<s32, s16>()},
    {"widen.s.16.64", int_to_int<s64, s16>()},
    {"widen.s.32.64", int_to_int<s64, s32>()},
    {"narrow.32.16", int_to_int<u16, u32>()},
    {"narrow.64.16", int_to_int<u16, u64>()},
    {"narrow.64.32", int_to_int<u32, u64>()},
    {"mov.pred", mov_pred},
    {"pack2.b32", map<Pack32, u32, u16, u16>},
    {"pack2.b64", map<Pack64, u64, u32, u32>},
    {"pack4.b64", map<Pack64Of4, u64, u16, u16, u16, u16>},
    {"unpack2.b32", unpack<u32, u16>},
    {"unpack2.b64", unpack<u64, u32>},
    {"unpack4.b64", unpack<u64, u16>},
    {"from_pred.b16", from_pred<u16>},
    {"from_pred.b32", from_pred<u32>},
    {"from_pred.b64", from_pred<u64>},
};

} // namespace

Table move_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
