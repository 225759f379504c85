// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/call.h"

#include "domA/device/software/exec/compile/immediate.h"
#include "domA/device/software/exec/ops.h"

#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace pegasus::software {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

struct Intrinsic {
  std::string_view name;
  Handler fn;
  std::vector<std::uint32_t> arguments; // bytes of each
  std::uint32_t returns;                // bytes; 0: none
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

// Names of .param variables of this function, or registers and immediates for .reg parameters.
bool passing(Lowering& l, Operand const& list, std::vector<Passing>& out, bool returns) {
  for (Operand const& o : list.elements) {
    if (o.kind == Operand::Kind::symbol) {
      std::optional<Passing> const variable = l.layout.in_frame(o.symbol);
      if (!variable) {
        l.errors.invalid(fmt::format("'{}' is not a .param variable of this function", o.symbol));
        return false;
      }
      out.push_back(*variable);
    } else if (std::uint32_t const r = l.registers.declared(o);
               r != 0 && passes_in_register(l.registers.width(r))) {
      l.registers.pin(r);
      out.push_back({r, l.registers.width(r), true});
    } else if (!returns && (o.kind == Operand::Kind::integer || o.kind == Operand::Kind::real)) {
      Type const type = o.kind == Operand::Kind::real ? (o.single ? Type::f32 : Type::f64) : Type::b32;
      out.push_back({l.registers.constant(width_of(type), immediate(o, type)), width_of(type), true});
    } else {
      l.errors.invalid("an operand of a call that is neither a .param variable nor a register");
      return false;
    }
  }
  return true;
}

void call_intrinsic(Lowering& l, std::string_view name, CallSite&& site) {
  for (Intrinsic const& known : intrinsics()) {
    if (known.name != name) continue;
    bool fits = site.arguments.size() == known.arguments.size() &&
                site.returns.size() == (known.returns != 0 ? 1 : 0);
    for (std::size_t k = 0; fits && k < site.arguments.size(); ++k)
      fits = site.arguments[k].bytes == known.arguments[k] && !site.arguments[k].in_register;
    for (Passing const& r : site.returns)
      fits = fits && r.bytes == known.returns && !r.in_register;
    if (!fits) return l.errors.invalid(fmt::format("'{}' called with other parameters than it has", name));
    l.code.emit(known.fn, 0).op.index = l.code.add_call(std::move(site));
    return;
  }
  l.errors.invalid(fmt::format(
      "no unit defines the function '{}', and the software accelerator does not provide it", name));
}

} // namespace

void lower_call(Lowering& l, Instruction const& i, Modifiers const&) {
  static Operand const nothing{};
  std::size_t callee = 0;
  while (callee < i.operands.size() && i.operands[callee].kind == Operand::Kind::vector)
    ++callee;
  if (callee >= i.operands.size() || callee > 1) return l.errors.invalid("a call without a callee");
  Operand const& target = i.operands[callee];
  CallSite site;
  bool const has_arguments =
      callee + 1 < i.operands.size() && i.operands[callee + 1].kind == Operand::Kind::vector;
  if (!passing(l, callee == 1 ? i.operands[0] : nothing, site.returns, true)) return;
  if (!passing(l, has_arguments ? i.operands[callee + 1] : nothing, site.arguments, false)) return;
  if (target.kind == Operand::Kind::reg) {
    std::uint32_t const address = l.operands.source(target, Type::u64);
    l.code.emit(op_call_indirect, 0, address).op.index = l.code.add_call(std::move(site));
    return;
  }
  Symbol const s = l.layout.symbol(target.symbol);
  site.name = target.symbol;
  if (s.function == nullptr && s.variable != nullptr)
    return l.errors.invalid(fmt::format("'{}' is not a function", target.symbol));
  if (s.function == nullptr || !s.function->defined) return call_intrinsic(l, target.symbol, std::move(site));
  if (s.function->entry)
    return l.errors.invalid(fmt::format("'{}' is a kernel and cannot be called", target.symbol));
  auto const code = l.build.code.find(s.function);
  if (code == l.build.code.end())
    return l.errors.invalid(fmt::format("'{}' cannot be called here", target.symbol));
  site.callee = code->second;
  l.code.emit(op_call, 0).op.index = l.code.add_call(std::move(site));
}

} // namespace pegasus::software
