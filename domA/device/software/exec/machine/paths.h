// SPDX-License-Identifier: Apache-2.0
// Which lanes run where: operations on a warp's stacks of paths (see warp.h).
#pragma once

#include "domA/device/software/exec/machine/warp.h"

#include <span>

namespace pegasus::software {

struct Fork {
  Op const* target;
  std::uint32_t lanes;
};

// Sets the state that handlers read to the current split's top path.
void enter_top(Warp&);
// The top path's lanes diverge, and meet again at `join` (nullptr: at the end of the function).
[[nodiscard]] Op const* diverge(Warp&, Op const* join, std::span<Fork const>);
// The lanes leave the kernel; the other lanes of the path, if any, continue at `next`.
[[nodiscard]] Op const* exit_lanes(Warp&, std::uint32_t lanes, Op const* next);
// The lanes leave the current function, which is not the kernel itself.
[[nodiscard]] Op const* return_lanes(Warp&, std::uint32_t lanes, Op const* next);
// Leaves the dispatch loop; the path continues at `next` later.
[[nodiscard]] Op const* pause(Warp&, Op const* next);
// Moves the lanes of the current split into a new split with a copy of the stack. Returns its index.
std::uint32_t split_warp(Warp&, std::uint32_t lanes);
// Merges splits with equal stacks.
void reconverge(Warp&);

// A frame for `callee`, called by `call` from the current frame. If the stack is exhausted, raises a fault
// and returns nullptr.
[[nodiscard]] Frame* new_frame(Warp&, Op const& call, FunctionCode const& callee, std::uint32_t lanes);
void release_frame(Warp&, Frame*);
// A new frame of the warp; nullptr if memory is exhausted.
[[nodiscard]] Frame* make_frame(Warp&, FunctionCode const&);

} // namespace pegasus::software
