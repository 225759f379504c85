// SPDX-License-Identifier: Apache-2.0
// A function's code before register allocation: ops whose operands are virtual registers (numbers from 1; 0:
// none). lower.h creates it, registers.h finishes it.
#pragma once

#include "domA/device/software/exec/code.h"
#include "domA/device/software/exec/compile/cfg.h"
#include "domA/device/software/exec/op.h"

#include <cstdint>
#include <vector>

namespace pegasus::software {

inline constexpr std::uint32_t max_register_bytes = 8;
// Whether a value of this size can pass in a register; a call cannot copy predicates.
[[nodiscard]] constexpr bool passes_in_register(std::uint32_t bytes) {
  return bytes == 2 || bytes == 4 || bytes == max_register_bytes;
}

// A register before allocation. Constants have a separate place; so have pinned registers.
struct VirtualRegister {
  std::uint8_t bytes = 0; // 0: predicate, 2, 4, 8
  bool constant = false, pinned = false;
  std::uint64_t bits = 0;
};

struct Draft {
  Op op; // registers are numbers of virtual registers
  std::vector<std::uint32_t> extra;
  std::uint32_t extra_defined = 0; // so many of `extra`, the first ones, are destinations
  bool d_is_source = false;        // stores: d is read
  bool merges = false;             // the destination keeps its value in some lanes (under a guard)
  std::uint32_t target_block = no_block, join_block = no_block;
};

struct DraftFunction {
  std::vector<VirtualRegister> registers{1};
  std::vector<Draft> ops;
  std::vector<std::uint32_t> block_start; // first op of each block
  std::vector<std::vector<std::uint32_t>> block_successors;
  std::vector<CallSite> calls; // registers in Passing::offset are virtual
  std::vector<std::vector<std::uint32_t>> jump_blocks;
  std::vector<Passing> parameters, returns;
  std::uint32_t local_bytes = 0;
};

} // namespace pegasus::software
