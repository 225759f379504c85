// SPDX-License-Identifier: Apache-2.0
// shfl if all members are present, the usual case; exchange.cpp has the other cases and the source
// of the formula.
#include "domA/device/software/exec/lanes/lanes.h"
#include "domA/device/software/exec/ops.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

template <Exchange kind> Op const* shuffle(Warp& w, Op const& op) {
  if (!op.implicit_members) {
    u32 const members = w.reg<u32>(op.e)[__builtin_ctz(w.active)];
    if ((members & ~w.dead & ~w.active) != 0) return op_exchange(w, op);
  }
  u32 const* const a = w.reg<u32>(op.a);
  u32 const* const b = w.reg<u32>(op.b);
  u32 const* const c = w.reg<u32>(op.c);
  alignas(64) u32 given[32]; // 0 for lanes that do not take part, as on NVIDIA's GPUs
  EACH_LANE given[i] = (w.active & lane_bit[i]) != 0 ? a[i] : 0;
  alignas(64) u32 r[32];
  alignas(32) u8 truth[32];
  EACH_LANE {
    u32 const segment = c[i] >> 8 & 31, clamp = c[i] & 31, by = b[i] & 31;
    u32 const edge = (i & segment) | (clamp & ~segment);
    u32 j;
    bool inside;
    if constexpr (kind == Exchange::shfl_up) {
      j = i - by;
      inside = static_cast<s32>(j) >= static_cast<s32>(edge);
    } else {
      j = kind == Exchange::shfl_down   ? i + by
          : kind == Exchange::shfl_bfly ? i ^ by
                                        : (i & segment) | (by & ~segment);
      inside = j <= edge;
    }
    r[i] = given[inside ? j : i];
    truth[i] = inside ? 0xff : 0;
  }
  blend(w.active, w.reg<u32>(op.d), r);
  if (!op.discard) set_pred(w, op.d2, mask_of(truth));
  return &op + 1;
}

constexpr Entry entries[] = {
    {"shfl.up", shuffle<Exchange::shfl_up>},
    {"shfl.down", shuffle<Exchange::shfl_down>},
    {"shfl.bfly", shuffle<Exchange::shfl_bfly>},
    {"shfl.idx", shuffle<Exchange::shfl_idx>},
};

} // namespace

Table shuffle_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
