// SPDX-License-Identifier: Apache-2.0
// Copies, changes of register width, packing and unpacking (mov, PTX ISA 9.7.9.3 and 9.7.9.4).
#include "domA/device/software/exec/lanes.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

template <class D, class S> struct Copy {
  LANE_INLINE static D apply(S a) { return static_cast<D>(a); }
};
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

constexpr Entry entries[] = {
    {"mov.b16", map<Copy<u16, u16>, u16, u16>},
    {"mov.b32", map<Copy<u32, u32>, u32, u32>},
    {"mov.b64", map<Copy<u64, u64>, u64, u64>},
    {"mov.pred", mov_pred},
    {"widen.u.16.32", map<Copy<u32, u16>, u32, u16>},
    {"widen.u.16.64", map<Copy<u64, u16>, u64, u16>},
    {"widen.u.32.64", map<Copy<u64, u32>, u64, u32>},
    {"widen.s.16.32", map<Copy<s32, s16>, s32, s16>},
    {"widen.s.16.64", map<Copy<s64, s16>, s64, s16>},
    {"widen.s.32.64", map<Copy<s64, s32>, s64, s32>},
    {"narrow.32.16", map<Copy<u16, u32>, u16, u32>},
    {"narrow.64.16", map<Copy<u16, u64>, u16, u64>},
    {"narrow.64.32", map<Copy<u32, u64>, u32, u64>},
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
