// SPDX-License-Identifier: Apache-2.0
// One instruction of warp-wide code. An Op executes one PTX instruction for the 32 lanes of a warp. Its
// operands are byte offsets into the frame's register file, where each register is 32 adjacent values (a
// predicate is one 32-bit mask): a handler is a loop that the compiler turns into vector instructions. The
// lane loops include this for every instruction set: no library headers here.
#pragma once

#include <cstdint>

namespace pegasus::software {

struct Warp;
struct Op;

// Executes the op for the lanes in Warp::active. Returns the next op, or nullptr to leave the dispatch loop
// (Warp::stop has the reason).
using Handler = Op const* (*)(Warp&, Op const&);

inline constexpr std::uint32_t lanes_per_warp = 32;
inline constexpr std::uint32_t all_lanes = 0xffffffff;

enum class Round : std::uint8_t { nearest, zero, down, up };
enum class Window : std::uint8_t { generic, global, shared, local, param, frame };

// Kinds of warp-wide exchange: all member lanes must arrive before any may continue (PTX
// ISA 9.7.9.8, 9.7.13).
enum class Exchange : std::uint8_t {
  none,
  warp_barrier,
  shfl_up,
  shfl_down,
  shfl_bfly,
  shfl_idx,
  vote_all,
  vote_any,
  vote_uni,
  vote_ballot,
  match_any32,
  match_any64,
  match_all32,
  match_all64,
  redux_add,
  redux_min_u32,
  redux_min_s32,
  redux_max_u32,
  redux_max_s32,
  redux_and,
  redux_or,
  redux_xor,
};

enum class BarrierKind : std::uint8_t { sync, arrive, red_popc, red_and, red_or };

struct Op {
  Handler fn = nullptr;
  Handler body = nullptr;     // under a guard: runs in the lanes where the guard holds
  Op const* target = nullptr; // of a branch
  Op const* join = nullptr;   // where the paths of a divergent branch meet; nullptr: at the function's end
  std::uint32_t const* extra = nullptr; // additional registers: elements of a vector
  std::uint64_t imm = 0;
  std::uint32_t guard = 0, d = 0, d2 = 0, a = 0, b = 0, c = 0, e = 0; // byte offsets in the frame
  std::uint32_t line = 0;                                             // in the PTX text
  std::uint32_t index = 0; // memory: its remembered allocation; call: CallSite; brx: list
  std::uint8_t count = 1;  // elements of a vector
  Round round = Round::nearest;
  Window window = Window::generic;
  Exchange exchange = Exchange::none;
  BarrierKind barrier = BarrierKind::sync;
  std::uint8_t shape = 0;        // matrix ops: row of matrix_shapes; wmma.load and store: matrix_number
  bool negated = false;          // guard or branch condition
  bool has_base = false;         // memory: the address is register a + imm, otherwise only imm
  bool narrow_base = false;      // the address register is 32 bits wide
  bool discard = false;          // the result is unused
  bool transposed = false;       // wmma.load and store: a row of the fragment is not adjacent in memory
  bool implicit_members = false; // exchange without .sync: the present lanes take part
};

} // namespace pegasus::software
