// SPDX-License-Identifier: Apache-2.0
// The frame of lowering: which rule an instruction goes by, blocks, control flow, guards.
#include "domA/device/software/exec/compile/lower.h"

#include "domA/device/software/exec/ops.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace pegasus::software {

namespace {

constexpr std::uint32_t max_local_bytes =
    512 * 1024; // per thread, CUDA C++ Programming Guide, compute capabilities

std::string full_name(ptx::Instruction const& i) {
  std::string name(i.mnemonic);
  for (std::string_view const m : i.modifiers)
    name.append(".").append(m);
  return name;
}

} // namespace

void Lowering::fail(device::Status status, std::string what) {
  if (error_) return;
  error_ = BuildError{status, fmt::format("{} '{}', PTX line {}: {}", f_.entry ? "kernel" : "function",
                                          f_.name, line_, what)};
}

void Lowering::unsupported(Instruction const& i, std::string_view why) {
  fail(device::Status::not_supported,
       fmt::format("the software accelerator does not know the instruction '{}'{}{}", full_name(i),
                   why.empty() ? "" : ": ", why));
}

// Local variables, and the .param variables of calls, lie in the thread's local memory; so do a function's
// parameters.
void Lowering::place_locals() {
  std::uint64_t offset = 0;
  auto const place = [&](ptx::Variable const& v) {
    std::uint64_t const align = std::clamp(v.align, 1u, 16u); // frames begin at multiples of 16
    offset = (offset + align - 1) / align * align;
    if (v.bytes > max_local_bytes || offset + v.bytes > max_local_bytes) {
      line_ = v.line;
      fail(device::Status::invalid_ptx,
           fmt::format("'{}' takes the thread's local memory beyond {} bytes", v.name, max_local_bytes));
      return;
    }
    local_offset_.emplace(&v, static_cast<std::uint32_t>(offset));
    offset += v.bytes;
  };
  auto const pass = [&](ptx::Variable const& v) -> Passing {
    if (v.space == ptx::Space::reg) {
      if (v.reg >= f_.registers.size() || !passes_in_register(width_of(v.type))) {
        fail(device::Status::not_supported,
             fmt::format("a parameter of type {} in a register", name_of(v.type)));
        return {};
      }
      draft_->registers[v.reg + 1].pinned = true;
      return {v.reg + 1, width_of(v.type), true};
    }
    place(v);
    return {local_offset_[&v], static_cast<std::uint32_t>(v.bytes), false};
  };
  if (!f_.entry) {
    for (ptx::Variable const& v : f_.returns)
      draft_->returns.push_back(pass(v));
    for (ptx::Variable const& v : f_.parameters)
      draft_->parameters.push_back(pass(v));
  } else {
    std::uint64_t at = 0;
    for (ptx::Variable const& v : f_.parameters) {
      std::uint64_t const align = std::max(v.align, 1u);
      at = (at + align - 1) / align * align;
      parameter_offset_.emplace(&v, static_cast<std::uint32_t>(at));
      at += v.bytes;
    }
  }
  for (ptx::Variable const& v : f_.variables)
    if (v.space == ptx::Space::local || v.space == ptx::Space::param) place(v);
  draft_->local_bytes = static_cast<std::uint32_t>((offset + 15) / 16 * 16);
}

std::optional<BuildError> Lowering::run(DraftFunction& draft) {
  draft_ = &draft;
  line_ = f_.line;
  for (ptx::Register const& r : f_.registers) {
    if (width_of(r.type) > most_register_bytes)
      fail(device::Status::not_supported, fmt::format("a register of type {}", name_of(r.type)));
    VirtualRegister v;
    v.bytes = static_cast<std::uint8_t>(width_of(r.type));
    draft.registers.push_back(v);
  }
  place_locals();
  if (error_) return error_;
  for (ptx::Instruction const& i : f_.instructions) {
    if (i.mnemonic != "bra") continue;
    line_ = i.line;
    if (i.operands.size() != 1 || i.operands[0].kind != Operand::Kind::label ||
        i.operands[0].target > f_.instructions.size())
      invalid("a branch without a label");
    if (error_) return error_;
  }
  auto cfg = make_cfg(f_, build_.effort);
  if (!cfg) invalid("more branches than can be followed: split the function, or use fewer brx.idx");
  if (error_) return error_;
  cfg_ = std::move(*cfg);
  for (std::uint32_t b = 0; b < cfg_.blocks.size() && !error_; ++b) {
    draft.block_start.push_back(static_cast<std::uint32_t>(draft.ops.size()));
    draft.block_successors.push_back(cfg_.blocks[b].successors);
    lower_block(b);
  }
  line_ = f_.line;
  emit(f_.entry ? op_exit : op_return, 0); // where code runs off the end
  return error_;
}

void Lowering::lower_block(std::uint32_t b) {
  BasicBlock const& block = cfg_.blocks[b];
  if (block.first < f_.instructions.size()) line_ = f_.instructions[block.first].line;
  if (block.is_meet) emit(op_join, 0);
  for (std::uint32_t at = block.first; at < block.last && !error_; ++at) {
    Instruction const& i = f_.instructions[at];
    line_ = i.line;
    Flow const flow = flow_of(f_, i);
    if (flow != Flow::none) {
      lower_flow(i, flow);
      if (draft_->ops.empty()) continue;
      if (flow == Flow::jump || flow == Flow::branch || flow == Flow::indexed) {
        Draft& branch = draft_->ops.back();
        branch.join_block = block.meet;
        if (flow == Flow::indexed) continue;
        branch.target_block = cfg_.block_at[i.operands[0].target];
        bool const back = branch.target_block <= b;
        if (flow == Flow::jump) branch.op.fn = back ? op_jump_back : op_jump;
        if (flow == Flow::branch) branch.op.fn = back ? op_branch_back : op_branch;
      }
      continue;
    }
    lower(i);
  }
}

void Lowering::lower_flow(Instruction const& i, Flow flow) {
  bool const guarded = i.guard != Instruction::no_guard;
  std::uint32_t const guard = guarded ? i.guard + 1 : 0;
  if (guarded && (guard >= draft_->registers.size() || register_width(guard) != 0))
    return invalid("the guard is no predicate");
  switch (flow) {
  case Flow::jump:
    emit(op_jump, 0);
    return;
  case Flow::branch:
    emit(op_branch, 0, guard).op.negated = i.guard_negated;
    return;
  case Flow::indexed: {
    ptx::LabelList const* const list = cfg_.label_list(i);
    if (list == nullptr || list->targets.empty()) return invalid("brx.idx without a list of targets");
    std::uint32_t const index = source(operand(i, 0), Type::u32);
    std::uint32_t const number = static_cast<std::uint32_t>(draft_->jump_blocks.size());
    draft_->jump_blocks.emplace_back();
    for (std::uint32_t const target : list->targets)
      draft_->jump_blocks.back().push_back(cfg_.block_at[target]);
    Draft& jump = emit(op_branch_indexed, 0, index);
    jump.op.index = number;
    if (guarded) {
      jump.op.body = jump.op.fn;
      jump.op.fn = op_guarded;
      jump.op.guard = guard;
      jump.op.negated = i.guard_negated;
    }
    return;
  }
  default:
    break;
  }
  if (i.mnemonic == "trap") {
    emit(op_trap, 0);
    return;
  }
  bool const leaves_kernel = f_.entry || i.mnemonic == "exit";
  if (!guarded) {
    emit(leaves_kernel ? op_exit : op_return, 0);
  } else if (leaves_kernel) {
    emit(op_exit_if, 0, guard).op.negated = i.guard_negated;
  } else {
    Draft& leave = emit(op_guarded, 0);
    leave.op.body = op_return;
    leave.op.guard = guard;
    leave.op.negated = i.guard_negated;
  }
}

// Ops made for one instruction are all guarded; if one of them writes the guard itself, they go by a copy of
// it.
std::uint32_t Lowering::guard_copy(Instruction const& i) {
  std::uint32_t const guard = i.guard + 1;
  bool writes_guard = false;
  for (std::size_t k = 0; k < std::min<std::size_t>(i.operands.size(), 2); ++k)
    writes_guard = writes_guard || (i.operands[k].kind == Operand::Kind::reg && i.operands[k].reg == i.guard);
  if (!writes_guard) return guard;
  std::uint32_t const copy = fresh(0);
  emit("mov.pred", copy, guard);
  return copy;
}

void Lowering::trap(Instruction const&, Modifiers const&) { emit(op_trap, 0); }

void Lowering::lower(Instruction const& i) {
  rule_ = rule_for(i.mnemonic);
  if (rule_ == nullptr) return unsupported(i);
  std::uint32_t guard = 0;
  if (i.guard != Instruction::no_guard) {
    if (i.guard + 1 >= draft_->registers.size() || register_width(i.guard + 1) != 0)
      return invalid("the guard is no predicate");
    guard = guard_copy(i);
  }
  std::size_t const first = draft_->ops.size();
  (this->*rule_->method)(i, Modifiers(i));
  if (guard == 0) return;
  for (std::size_t k = first; k < draft_->ops.size(); ++k) {
    Draft& draft = draft_->ops[k];
    draft.op.body = draft.op.fn;
    draft.op.fn = op_guarded;
    draft.op.guard = guard;
    draft.op.negated = i.guard_negated;
    draft.merges = true;
  }
}

} // namespace pegasus::software
