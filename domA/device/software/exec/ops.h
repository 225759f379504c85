// SPDX-License-Identifier: Apache-2.0
// Handlers that are not lane loops, by name: control flow, the warp's own state, exchanges, calls of host
// functions. They are the same on every instruction set. machine/ and library/ implement them.
#pragma once

#include "domA/device/software/exec/op.h"

namespace pegasus::software {

Op const* op_guarded(Warp&, Op const&); // @p body
Op const* op_jump(Warp&, Op const&);
Op const* op_jump_back(Warp&, Op const&); // a backward branch: counts against the warp's budget
Op const* op_branch(Warp&, Op const&);    // a: predicate
Op const* op_branch_back(Warp&, Op const&);
Op const* op_branch_indexed(Warp&, Op const&); // a: index; Op::index: FunctionCode::jumps
Op const* op_join(Warp&, Op const&);           // first op of a block where paths may meet
Op const* op_exit(Warp&, Op const&);
Op const* op_exit_if(Warp&, Op const&); // a: predicate; a branch to the end of the kernel
Op const* op_return(Warp&, Op const&);
Op const* op_call(Warp&, Op const&);
Op const* op_call_indirect(Warp&, Op const&); // a: address
Op const* op_trap(Warp&, Op const&);
Op const* op_nanosleep(Warp&, Op const&);

// Special registers: imm is the SpecialRegister.
enum class SpecialRegister : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  clock,
  clock_hi,
  clock64,
  globaltimer,
  globaltimer_lo,
  globaltimer_hi,
  dynamic_smem_size,
  total_smem_size,
  reserved_smem_begin,
  reserved_smem_end,
  reserved_smem_cap,
  grid_workspace_hi,
  grid_workspace_lo,
  zero,
};
Op const* op_special32(Warp&, Op const&);
Op const* op_special64(Warp&, Op const&);
Op const* op_parameter32(Warp&, Op const&); // d = 4 bytes of the kernel's parameters at imm
Op const* op_parameter64(Warp&, Op const&);
Op const* op_local_address32(Warp&, Op const&); // d = address in .local of the frame's byte imm
Op const* op_local_address64(Warp&, Op const&); // the same plus Op::b's constant window for generic addresses
Op const* op_active_mask(Warp&, Op const&);
Op const* op_is_space(Warp&, Op const&); // d = a lies in [imm, imm + window_bytes)

Op const* op_barrier(Warp&, Op const&);  // a: number, b: threads, c: predicate; offsets, 0 if absent
Op const* op_exchange(Warp&, Op const&); // shfl, vote, match, redux, bar.warp.sync; e: member mask
// The fault of an op that all 32 lanes must execute together, and do not.
Op const* op_lanes_missing(Warp&, Op const&);

Op const* op_load_part(Warp&,
                       Op const&); // extra: words; b: how many bytes to read, c: none; offsets, 0 if absent
Op const* op_check_line(Warp&, Op const&); // of a cache

Op const* op_mbarrier_init(Warp&, Op const&); // b: arrivals
Op const* op_mbarrier_invalidate(Warp&, Op const&);
Op const* op_mbarrier_arrive(Warp&, Op const&); // b: how many; d: the object's state before
Op const* op_mbarrier_arrive_drop(Warp&, Op const&);
Op const* op_mbarrier_test(Warp&, Op const&);        // b: such a state
Op const* op_mbarrier_test_parity(Warp&, Op const&); // b: of a phase

Op const* op_texture(Warp&, Op const&); // tex, tld4; imm, extra: texture_forms.h
Op const* op_texture_query(Warp&, Op const&);
Op const* op_surface_load(Warp&, Op const&);
Op const* op_surface_store(Warp&, Op const&);
Op const* op_surface_query(Warp&, Op const&);

Op const* op_vprintf(Warp&, Op const&);
Op const* op_malloc(Warp&, Op const&);
Op const* op_free(Warp&, Op const&);
Op const* op_assertfail(Warp&, Op const&);

} // namespace pegasus::software
