// SPDX-License-Identifier: Apache-2.0
// call, PTX ISA 9.7.12.5, and the functions that the driver provides.
#include "domA/device/software/exec/compile/lower.h"

#include "domA/device/software/exec/ops.h"

#include <fmt/format.h>

namespace pegasus::software {

using ptx::Type;

namespace {

struct Intrinsic {
  std::string_view name;
  Handler fn;
  std::vector<std::uint32_t> arguments; // bytes of each
  std::uint32_t returns;                // bytes; 0: nothing
};

std::vector<Intrinsic> const& intrinsics() {
  static std::vector<Intrinsic> const all = {
      {"vprintf", op_vprintf, {8, 8}, 4},
      {"malloc", op_malloc, {8}, 8},
      {"free", op_free, {8}, 0},
      {"__assertfail", op_assertfail, {8, 8, 4, 8, 8}, 0},
  };
  return all;
}

} // namespace

// Names of .param variables of this function, or registers and immediates for .reg parameters.
bool Lowering::passing(Operand const& list, std::vector<Passing>& out, bool returns) {
  for (Operand const& o : list.elements) {
    if (o.kind == Operand::Kind::symbol) {
      Symbol const s = scope_.find(o.symbol);
      auto const at = local_offset_.find(s.variable);
      if (s.variable == nullptr || at == local_offset_.end()) {
        invalid(fmt::format("'{}' is no .param variable of this function", o.symbol));
        return false;
      }
      out.push_back({at->second, static_cast<std::uint32_t>(s.variable->bytes), false});
    } else if (o.kind == Operand::Kind::reg && o.reg < f_.registers.size() &&
               passes_in_register(register_width(o.reg + 1))) {
      draft_->registers[o.reg + 1].pinned = true;
      out.push_back({o.reg + 1, register_width(o.reg + 1), true});
    } else if (!returns && (o.kind == Operand::Kind::integer || o.kind == Operand::Kind::real)) {
      Type const type = o.kind == Operand::Kind::real ? (o.single ? Type::f32 : Type::f64) : Type::b32;
      out.push_back({constant(width_of(type), immediate(o, type)), width_of(type), true});
    } else {
      invalid("an operand of a call that is neither a .param variable nor a register");
      return false;
    }
  }
  return true;
}

void Lowering::intrinsic(std::string_view name, CallSite&& site) {
  for (Intrinsic const& known : intrinsics()) {
    if (known.name != name) continue;
    bool fits = site.arguments.size() == known.arguments.size() &&
                site.returns.size() == (known.returns != 0 ? 1 : 0);
    for (std::size_t k = 0; fits && k < site.arguments.size(); ++k)
      fits = site.arguments[k].bytes == known.arguments[k] && !site.arguments[k].in_register;
    for (Passing const& r : site.returns)
      fits = fits && r.bytes == known.returns && !r.in_register;
    if (!fits) return invalid(fmt::format("'{}' called with other parameters than it has", name));
    auto const index = static_cast<std::uint32_t>(draft_->calls.size());
    draft_->calls.push_back(std::move(site));
    emit(known.fn, 0).op.index = index;
    return;
  }
  invalid(fmt::format("no unit defines the function '{}', and the software accelerator does not provide it",
                      name));
}

void Lowering::call(Instruction const& i, Modifiers const&) {
  static Operand const nothing{};
  std::size_t callee = 0;
  while (callee < i.operands.size() && i.operands[callee].kind == Operand::Kind::vector)
    ++callee;
  if (callee >= i.operands.size() || callee > 1) return invalid("a call without a callee");
  Operand const& target = i.operands[callee];
  CallSite site;
  bool const has_arguments =
      callee + 1 < i.operands.size() && i.operands[callee + 1].kind == Operand::Kind::vector;
  if (!passing(callee == 1 ? i.operands[0] : nothing, site.returns, true)) return;
  if (!passing(has_arguments ? i.operands[callee + 1] : nothing, site.arguments, false)) return;
  if (target.kind == Operand::Kind::reg) {
    std::uint32_t const address = source(target, Type::u64);
    auto const index = static_cast<std::uint32_t>(draft_->calls.size());
    draft_->calls.push_back(std::move(site));
    emit(op_call_indirect, 0, address).op.index = index;
    return;
  }
  Symbol const s = scope_.find(target.symbol);
  site.name = target.symbol;
  if (s.function == nullptr && s.variable != nullptr)
    return invalid(fmt::format("'{}' is no function", target.symbol));
  if (s.function == nullptr || !s.function->defined) return intrinsic(target.symbol, std::move(site));
  if (s.function->entry) return invalid(fmt::format("'{}' is a kernel and cannot be called", target.symbol));
  auto const code = build_.code.find(s.function);
  if (code == build_.code.end()) return invalid(fmt::format("'{}' cannot be called here", target.symbol));
  site.callee = code->second;
  auto const index = static_cast<std::uint32_t>(draft_->calls.size());
  draft_->calls.push_back(std::move(site));
  emit(op_call, 0).op.index = index;
}

} // namespace pegasus::software
