// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/lower.h"

#include "domA/device/software/exec/compile/control_flow.h"
#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/rules/table.h"
#include "domA/device/software/exec/ops.h"

#include <algorithm>
#include <fmt/format.h>

namespace pegasus::software {
namespace {

using ptx::Instruction;
using ptx::Operand;

void declare_registers(Lowering& l) {
  for (ptx::Register const& r : l.function.registers) {
    if (width_of(r.type) > max_register_bytes)
      l.errors.fail(device::Status::not_supported, fmt::format("a register of type {}", name_of(r.type)));
    l.registers.declare(width_of(r.type));
  }
}

// Checks what make_cfg() requires.
void check_branches(Lowering& l) {
  for (Instruction const& i : l.function.instructions) {
    if (i.mnemonic != "bra") continue;
    l.errors.at(i.line);
    if (i.operands.size() != 1 || i.operands[0].kind != Operand::Kind::label ||
        i.operands[0].target > l.function.instructions.size())
      return l.errors.invalid("a branch without a label");
  }
}

// All ops of an instruction are guarded. If one of them writes the guard itself, they use a copy of it.
std::uint32_t guard_copy(Lowering& l, Instruction const& i, std::uint32_t guard) {
  bool writes_guard = false;
  for (std::size_t k = 0; k < std::min<std::size_t>(i.operands.size(), 2); ++k)
    writes_guard = writes_guard || (i.operands[k].kind == Operand::Kind::reg && i.operands[k].reg == i.guard);
  if (!writes_guard) return guard;
  std::uint32_t const copy = l.registers.fresh(0);
  l.code.emit("mov.pred", copy, guard);
  return copy;
}

void lower_instruction(Lowering& l, Instruction const& i) {
  Rule const* const rule = rule_for(i.mnemonic);
  if (rule == nullptr) return l.errors.unsupported(i);
  if (i.guard == Instruction::no_guard) return rule->lower(l, i);
  std::uint32_t const guard = l.registers.declared(i.guard);
  if (guard == 0 || l.registers.width(guard) != 0) return l.errors.invalid("the guard is not a predicate");
  std::uint32_t const by = guard_copy(l, i, guard);
  std::size_t const first = l.code.size();
  rule->lower(l, i);
  l.code.guard_from(first, by, i.guard_negated);
}

void lower_block(Lowering& l, Cfg const& cfg, std::uint32_t b) {
  BasicBlock const& block = cfg.blocks[b];
  auto const& instructions = l.function.instructions;
  if (block.first < instructions.size()) l.errors.at(instructions[block.first].line);
  if (block.is_meet) l.code.emit(op_join, 0);
  for (std::uint32_t at = block.first; at < block.last && !l.errors.failed(); ++at) {
    l.errors.at(instructions[at].line);
    if (Flow const flow = flow_of(l.function, instructions[at]); flow != Flow::none)
      lower_flow(l, cfg, b, instructions[at], flow);
    else
      lower_instruction(l, instructions[at]);
  }
}

void lower_blocks(Lowering& l, Cfg const& cfg) {
  for (std::uint32_t b = 0; b < cfg.blocks.size() && !l.errors.failed(); ++b) {
    l.code.begin_block(cfg.blocks[b].successors);
    lower_block(l, cfg, b);
  }
  l.errors.at(l.function.line);
  l.code.emit(l.function.entry ? op_exit : op_return, 0); // for code that runs past the end
}

} // namespace

std::optional<BuildError> lower(KernelBuild& build, Symbol const& function, DraftFunction& draft) {
  Lowering l(build, function, draft);
  declare_registers(l);
  l.layout.lay_out(draft, l.registers, l.errors);
  if (!l.errors.failed()) check_branches(l);
  if (l.errors.failed()) return l.errors.error();
  auto const cfg = make_cfg(*function.function, build.effort);
  if (!cfg) l.errors.invalid("more branches than can be followed: split the function, or use fewer brx.idx");
  if (cfg) lower_blocks(l, *cfg);
  return l.errors.error();
}

} // namespace pegasus::software
