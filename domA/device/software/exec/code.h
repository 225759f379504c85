// SPDX-License-Identifier: Apache-2.0
// Warp-wide code: the lowered form of a PTX function.
#pragma once

#include "domA/device/software/exec/op.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::software {

struct FunctionCode;

// One parameter or return value of a function: its offset in the frame's local memory, or its register.
struct Passing {
  std::uint32_t offset = 0; // in the frame's local memory, or of the register in the frame
  std::uint32_t bytes = 0;
  bool in_register = false;
};

// The operands of a call or of an intrinsic. Offsets are in the caller's frame.
struct CallSite {
  FunctionCode const* callee = nullptr; // nullptr: indirect, through the register in Op::a
  std::string_view name;
  std::vector<Passing> arguments, returns;
};

struct Constant {
  std::uint32_t offset; // in the frame
  std::uint32_t bytes;  // width of the register: 0 (predicate), 2, 4, 8
  std::uint64_t bits;
};

struct Jump { // targets of one brx.idx
  std::vector<Op const*> targets;
};

struct FunctionCode {
  std::string name;
  std::uint32_t index = 0; // in Kernel::functions
  std::vector<Op> ops;
  std::vector<std::uint32_t> extra;
  std::vector<Constant> constants;
  std::vector<CallSite> calls;
  std::vector<Jump> jumps;
  std::vector<Passing> parameters, returns;
  std::uint32_t frame_bytes = 0;
  std::uint32_t local_bytes = 0;
  std::uint32_t registers = 0; // maximum of 32-bit registers in use at once
  bool calls_back = false;     // part of a cycle of calls, or calls through a pointer
};

} // namespace pegasus::software
