// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/control_flow.h"

#include "domA/device/software/exec/ops.h"

#include <utility>

namespace pegasus::software {
namespace {

using ptx::Instruction;

// A branch to an earlier block, or to the same one: it counts against the warp's budget.
bool is_back(Cfg const& cfg, std::uint32_t b, Instruction const& i) {
  return cfg.block_at[i.operands[0].target] <= b;
}

void branch_to(Draft& branch, Cfg const& cfg, std::uint32_t b, Instruction const& i) {
  branch.join_block = cfg.blocks[b].meet;
  branch.target_block = cfg.block_at[i.operands[0].target];
}

void branch_indexed(Lowering& l, Cfg const& cfg, std::uint32_t b, Instruction const& i, std::uint32_t guard) {
  ptx::LabelList const* const list = cfg.label_list(i);
  if (list == nullptr || list->targets.empty()) return l.errors.invalid("brx.idx without a list of targets");
  std::uint32_t const index = l.operands.source(i, 0, ptx::Type::u32);
  std::vector<std::uint32_t> blocks;
  for (std::uint32_t const target : list->targets)
    blocks.push_back(cfg.block_at[target]);
  Draft& jump = l.code.emit(op_branch_indexed, 0, index);
  jump.join_block = cfg.blocks[b].meet;
  jump.op.index = l.code.add_jump(std::move(blocks));
  if (guard != 0) put_guard(jump.op, guard, i.guard_negated);
}

void leave(Lowering& l, Instruction const& i, std::uint32_t guard) {
  if (i.mnemonic == "trap") {
    l.code.emit(op_trap, 0);
    return;
  }
  bool const leaves_kernel = l.function.entry || i.mnemonic == "exit";
  if (guard == 0)
    l.code.emit(leaves_kernel ? op_exit : op_return, 0);
  else if (leaves_kernel)
    l.code.emit(op_exit_if, 0, guard).op.negated = i.guard_negated;
  else
    put_guard(l.code.emit(op_return, 0).op, guard, i.guard_negated);
}

} // namespace

void lower_flow(Lowering& l, Cfg const& cfg, std::uint32_t b, Instruction const& i, Flow flow) {
  std::uint32_t guard = 0;
  if (i.guard != Instruction::no_guard) {
    guard = l.registers.declared(i.guard);
    if (guard == 0 || l.registers.width(guard) != 0) return l.errors.invalid("the guard is not a predicate");
  }
  switch (flow) {
  case Flow::jump:
    return branch_to(l.code.emit(is_back(cfg, b, i) ? op_jump_back : op_jump, 0), cfg, b, i);
  case Flow::branch: {
    Draft& branch = l.code.emit(is_back(cfg, b, i) ? op_branch_back : op_branch, 0, guard);
    branch.op.negated = i.guard_negated;
    return branch_to(branch, cfg, b, i);
  }
  case Flow::indexed:
    return branch_indexed(l, cfg, b, i, guard);
  default:
    return leave(l, i, guard);
  }
}

} // namespace pegasus::software
