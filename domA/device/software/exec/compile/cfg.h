// SPDX-License-Identifier: Apache-2.0
// A function's basic blocks, and where divergent paths meet: the immediate post-dominators (Cooper, Harvey,
// Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph with one virtual exit).
#pragma once

#include "domA/device/ptx/module.h"
#include "domA/device/software/exec/compile/effort.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pegasus::software {

inline constexpr std::uint32_t no_block = 0xffffffff;

struct BasicBlock {
  std::uint32_t first = 0, last = 0;     // instructions [first, last)
  std::vector<std::uint32_t> successors; // the end of the function is not a block: a block may have none
  std::uint32_t meet = no_block;         // immediate post-dominator; no_block: the end of the function
  bool is_meet = false;                  // of some block with several successors
};

struct Cfg {
  std::vector<BasicBlock> blocks;
  // The block that starts at an instruction, or no_block; one entry more than instructions.
  std::vector<std::uint32_t> block_at;
  std::unordered_map<std::string_view, ptx::LabelList const*> label_lists;

  [[nodiscard]] ptx::LabelList const* label_list(ptx::Instruction const& brx) const; // nullptr: it has none
};

// The kind of branch of an instruction; a branch to a plain `ret` or `exit` counts as that instruction.
enum class Flow : std::uint8_t { none, jump, branch, indexed, leave, leave_if };
[[nodiscard]] Flow flow_of(ptx::Function const&, ptx::Instruction const&);

// Every target must be a valid instruction index (or their count). Returns nullopt if the
// effort is exhausted.
[[nodiscard]] std::optional<Cfg> make_cfg(ptx::Function const&, Effort&);

// Immediate post-dominators of a graph given by successors; `ends` are the nodes that lead to the exit.
// no_block: the exit itself, or a node that never reaches it. Returns nullopt if the effort is exhausted.
[[nodiscard]] std::optional<std::vector<std::uint32_t>>
post_dominators(std::vector<std::vector<std::uint32_t>> const& successors, std::vector<bool> const& ends,
                Effort&);

} // namespace pegasus::software
