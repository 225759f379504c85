// SPDX-License-Identifier: Apache-2.0
// The state of one warp. Handlers access its public fields directly: they are the innermost loop.
//
// Divergence. The lanes of a warp follow a stack of paths; only the top one runs. If the lanes disagree at a
// branch, the top path becomes the place where they meet again (the branch's immediate post-dominator), and
// one path is pushed for each side. Threads must also make progress independently (PTX ISA 3.1; a lane may
// spin until another lane of its warp releases a lock), so a warp may be split: each Split has a separate
// stack for a disjoint set of lanes. A warp is split when some of its lanes wait (barrier, exchange) or spin.
// Splits that meet with equal stacks are merged.
#pragma once

#include "domA/device/software/exec/op.h"

#include <cstddef>
#include <vector>

namespace pegasus::software {

struct Block;
struct FunctionCode;
struct Seen;

// The activation of a function for a set of lanes.
struct Frame {
  std::byte* registers = nullptr; // owned by the frame
  Frame* caller = nullptr;
  FunctionCode const* code = nullptr;
  Op const* call = nullptr;     // the call that made it
  std::uint32_t local_base = 0; // of its variables, in each lane's local memory
  std::uint32_t lanes = 0;
  std::uint32_t depth = 0;

  Frame() = default;
  Frame(Frame const&) = delete;
  Frame& operator=(Frame const&) = delete;
  ~Frame();
};

struct Path {
  Op const* pc = nullptr;
  Op const* join = nullptr; // reaching this op ends the path
  Frame* frame = nullptr;
  std::uint32_t mask = 0;
};

enum class Stop : std::uint8_t { none, done, pause, barrier, exchange, fault };

struct Split {
  enum class State : std::uint8_t { runnable, at_barrier, at_exchange };
  std::vector<Path> paths;
  State state = State::runnable;
  Op const* waits_at = nullptr; // barrier or exchange
  std::uint32_t barrier = 0;    // its number
  std::uint32_t members = 0;    // exchange: lanes that must arrive
  std::uint32_t waiting = 0;    // lanes that wait
  std::int64_t long_run = 0;    // backward branches since it last waited or was split
};

struct Warp {
  // The fields that handlers use. `full`: every lane is active or will never run again, so results may be
  // written without regard to `active`; lanes outside `active` must still not access memory.
  std::byte* registers = nullptr;
  std::uint32_t active = 0;
  std::uint32_t mask = 0;  // of the running path; equals active except under a guard
  std::uint32_t dead = 0;  // exited, or beyond the block's size
  std::uint32_t carry = 0; // CC.CF of each lane
  bool full = false;
  Stop stop = Stop::none;
  std::int64_t budget = 0; // backward branches left before the warp pauses
  Frame* frame = nullptr;
  Block* block = nullptr;
  Seen* seen = nullptr;       // of the block, by Op::index of memory ops
  std::byte* local = nullptr; // of the 32 lanes, interleaved by words: see handlers_memory.cpp
  std::uint32_t local_bytes = 0;
  std::uint32_t number = 0;                         // in the block
  std::uint32_t thread_ids[3][lanes_per_warp] = {}; // %tid

  std::vector<Split> splits;
  std::uint32_t current = 0;              // index of the running split
  std::uint32_t picks = 0;                // of a split, schedule.cpp
  std::vector<Frame*> frames;             // all frames of this warp; the block owns them
  std::vector<std::vector<Frame*>> spare; // unused frames, by FunctionCode::index

  template <class T> [[gnu::always_inline]] T* reg(std::uint32_t offset) const {
    return reinterpret_cast<T*>(__builtin_assume_aligned(registers + offset, 64));
  }
  [[gnu::always_inline]] std::uint32_t& pred(std::uint32_t offset) const {
    return *reinterpret_cast<std::uint32_t*>(registers + offset);
  }
};

} // namespace pegasus::software
