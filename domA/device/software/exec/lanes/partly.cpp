// SPDX-License-Identifier: Apache-2.0
// The rare ways to run a handler: see lanes.h.
#include "domA/device/software/exec/lanes/lanes.h"

#include <cfenv>

namespace pegasus::software::PEGASUS_ISA {
namespace {

int host_mode(Round round) {
  return round == Round::zero ? FE_TOWARDZERO : round == Round::down ? FE_DOWNWARD : FE_UPWARD;
}

template <class D> LANE_INLINE Op const* run_partly(Warp& w, Op const& op, Handler whole) {
  D* const d = w.reg<D>(op.d);
  bool const full = w.full;
  alignas(64) D old[32];
  if (!full) EACH_LANE old[i] = d[i];
  w.full = true;
  if (op.round == Round::nearest) {
    whole(w, op);
  } else {
    // The values are read from and written to memory inside the call, which the compiler cannot see through:
    // none is computed under the wrong mode.
    Op nearest = op;
    nearest.round = Round::nearest;
    fesetround(host_mode(op.round));
    whole(w, nearest);
    fesetround(FE_TONEAREST);
  }
  w.full = full;
  if (full) return &op + 1;
  u32 const m = w.active;
  EACH_LANE d[i] = (m & lane_bit[i]) != 0 ? d[i] : old[i];
  return &op + 1;
}

} // namespace

Op const* partly16(Warp& w, Op const& op, Handler whole) { return run_partly<u16>(w, op, whole); }
Op const* partly32(Warp& w, Op const& op, Handler whole) { return run_partly<u32>(w, op, whole); }
Op const* partly64(Warp& w, Op const& op, Handler whole) { return run_partly<u64>(w, op, whole); }

} // namespace pegasus::software::PEGASUS_ISA
