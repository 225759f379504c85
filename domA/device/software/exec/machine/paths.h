// SPDX-License-Identifier: Apache-2.0
// Which lanes run where: the operations on a warp's stacks of paths (see warp.h).
#pragma once

#include "domA/device/software/exec/machine/warp.h"

#include <span>

namespace pegasus::software {

struct Fork {
  Op const* target;
  std::uint32_t lanes;
};

// Makes the current split's top path the one that handlers see.
void enter_top(Warp&);
// The top path's lanes go different ways, to meet again at `join` (null: at the end of the function).
[[nodiscard]] Op const* diverge(Warp&, Op const* join, std::span<Fork const>);
// The lanes leave the kernel; the others of the path, if any, go on at `next`.
[[nodiscard]] Op const* exit_lanes(Warp&, std::uint32_t lanes, Op const* next);
// The lanes leave the current function, which is not the kernel itself.
[[nodiscard]] Op const* return_lanes(Warp&, std::uint32_t lanes, Op const* next);
// Leaves the dispatch loop; the path goes on at `next` later.
[[nodiscard]] Op const* pause(Warp&, Op const* next);
// Moves the lanes of the current split into a new split of their own, with their own copy of the stack.
// Returns its index.
std::uint32_t carve(Warp&, std::uint32_t lanes);
// Unites splits whose stacks are equal.
void merge_splits(Warp&);

// A frame for `callee` called by `call` from the current frame; null (and a fault) when the stack is
// exhausted.
[[nodiscard]] Frame* new_frame(Warp&, Op const& call, FunctionCode const& callee, std::uint32_t lanes);
void release_frame(Warp&, Frame*);
// A new frame of the warp; null: out of memory.
[[nodiscard]] Frame* make_frame(Warp&, FunctionCode const&);

} // namespace pegasus::software
