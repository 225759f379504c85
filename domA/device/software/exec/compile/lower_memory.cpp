// SPDX-License-Identifier: Apache-2.0
// ld, st, atom and red: PTX ISA 9.7.9.8, 9.7.9.12, 9.7.13.5, 9.7.13.6.
#include "domA/device/software/exec/compile/lower.h"

#include "domA/device/software/exec/memory/windows.h"
#include "domA/device/software/exec/ops.h"

#include <algorithm>
#include <fmt/format.h>

namespace pegasus::software {

using ptx::Space;
using ptx::Type;

namespace {

// Ordering, scope and caching have no meaning where one thread executes everything in order.
constexpr std::string_view hints[] = {
    "weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "sc", "mmio", "cta", "cluster", "gpu",
    "sys",  "ca",       "cg",      "cs",      "lu",      "cv",      "wb", "wt",   "nc",  "noftz",
};

bool is_hint(std::string_view word) {
  return std::find(std::begin(hints), std::end(hints), word) != std::end(hints) || word.starts_with("L1::") ||
         word.starts_with("L2::");
}

Space space_named(std::string_view word) {
  if (word == "global") return Space::global;
  if (word == "shared" || word == "shared::cta") return Space::shared;
  if (word == "const") return Space::constant;
  if (word == "local") return Space::local;
  if (word == "param" || word == "param::entry" || word == "param::func") return Space::param;
  return Space::none;
}

bool is_local(Window window) { return window == Window::local || window == Window::frame; }

// The type in memory; the sign matters only where the register is wider.
std::string memory_type(Type type, std::uint32_t register_bytes) {
  std::uint32_t const bytes = ptx::bytes_of(type);
  return fmt::format("{}{}", is_signed(type) && bytes < register_bytes ? "s" : "u", bytes * 8);
}

} // namespace

// Space and vector length among the modifiers. False: something unknown.
bool Lowering::memory_words(Instruction const& i, Space& space, std::uint32_t& count) {
  for (std::string_view const word : i.modifiers) {
    if (Space const s = space_named(word); s != Space::none) {
      space = s;
    } else if (word == "v2" || word == "v4" || word == "v8") {
      count = static_cast<std::uint32_t>(word[1] - '0');
    } else if (word == "L2::cache_hint" || (!is_hint(word) && type_named(word) == Type::none)) {
      unsupported(i);
      return false;
    }
  }
  return true;
}

Lowering::Where Lowering::where(Operand const& o, Space space) {
  Where at;
  at.imm = static_cast<std::uint64_t>(o.offset);
  switch (space) {
  case Space::shared:
    at.window = Window::shared;
    break;
  case Space::local:
    at.window = Window::local;
    break;
  case Space::param:
    at.window = f_.entry ? Window::param : Window::local;
    break;
  case Space::none:
    at.window = Window::generic;
    break;
  default:
    at.window = Window::global;
    break;
  }
  if (o.kind != Operand::Kind::address || !o.elements.empty()) {
    invalid("the operand is no address");
    return at;
  }
  if (o.reg_base) {
    at.base = o.reg + 1;
    if (at.base >= draft_->registers.size() || (register_width(at.base) != 4 && register_width(at.base) != 8))
      invalid("the address is in a register of neither 32 nor 64 bits");
    return at;
  }
  if (o.symbol.empty()) return at;
  Symbol const s = scope_.find(o.symbol);
  if (s.variable != nullptr) {
    if (auto const local = local_offset_.find(s.variable); local != local_offset_.end()) {
      at.window = Window::frame;
      at.imm += local->second;
      return at;
    }
    if (auto const p = parameter_offset_.find(s.variable); p != parameter_offset_.end()) {
      at.window = Window::param;
      at.kernel_parameter = true;
      at.imm += p->second;
      return at;
    }
    if (s.variable->space == Space::shared) {
      auto const placed = build_.reach.shared.find(s.variable);
      at.window = Window::shared;
      at.imm += placed != build_.reach.shared.end() ? placed->second : build_.reach.static_shared_bytes;
      return at;
    }
    if (Address const placed = build_.linked.address(s.variable); placed != 0) {
      at.window = Window::global;
      at.imm += placed;
      return at;
    }
  }
  invalid(fmt::format("no unit defines the variable '{}'", o.symbol));
  return at;
}

void Lowering::set_address(Op& op, Where const& at) {
  op.window = at.window;
  op.imm = at.kernel_parameter ? param_window + at.imm : at.imm;
  op.a = at.base;
  op.has_base = at.base != 0;
  op.narrow_base = at.base != 0 && register_width(at.base) == 4;
  if (!is_local(at.window)) op.index = build_.kernel.memory_ops++;
}

// A scalar parameter of the kernel is the same for all threads: no address, no check.
bool Lowering::parameter(Where const& at, Operand const& to, Type type, std::uint32_t count) {
  std::uint32_t const bytes = ptx::bytes_of(type);
  if (!at.kernel_parameter || count != 1 || (bytes != 4 && bytes != 8)) return false;
  if (to.kind != Operand::Kind::reg || to.reg + 1 >= draft_->registers.size() ||
      register_width(to.reg + 1) != bytes)
    return false;
  if (at.imm > build_.kernel.info.parameter_bytes || bytes > build_.kernel.info.parameter_bytes - at.imm)
    return false;
  emit(bytes == 4 ? op_parameter32 : op_parameter64, to.reg + 1).op.imm = at.imm;
  return true;
}

void Lowering::ld(Instruction const& i, Modifiers const& m) {
  Space space = Space::none;
  std::uint32_t count = 1;
  if (!memory_words(i, space, count)) return;
  Type const type = m.type();
  if (m.types.size() != 1 || ptx::bytes_of(type) > 8 || type == Type::pred) return unsupported(i);
  Operand const& to = operand(i, 0);
  Where const at = where(operand(i, 1), space);
  if (error_ || parameter(at, to, type, count)) return;
  bool const vector = to.kind == Operand::Kind::vector;
  if (vector ? to.elements.size() != count : count != 1)
    return invalid("as many registers as elements are needed");
  std::vector<std::uint32_t> registers;
  std::uint32_t bytes = width_of(type);
  for (std::uint32_t k = 0; k < count; ++k) {
    Operand const& element = vector ? to.elements[k] : to;
    if (element.kind == Operand::Kind::reg && element.reg + 1 < draft_->registers.size())
      bytes = std::max(bytes, register_width(element.reg + 1));
  }
  for (std::uint32_t k = 0; k < count; ++k)
    registers.push_back(destination_of_width(vector ? to.elements[k] : to, bytes));
  std::string const form = is_local(at.window) ? "ld.local" : vector ? "ld.v" : "ld";
  Draft& draft = emit(fmt::format("{}.{}.b{}", form, memory_type(type, bytes), bytes * 8), 0);
  set_address(draft.op, at);
  draft.op.count = static_cast<std::uint8_t>(count);
  if (vector) {
    draft.extra = std::move(registers);
    draft.extra_defines = true;
  } else {
    draft.op.d = registers[0];
  }
}

void Lowering::st(Instruction const& i, Modifiers const& m) {
  Space space = Space::none;
  std::uint32_t count = 1;
  if (!memory_words(i, space, count)) return;
  Type const type = m.type();
  if (m.types.size() != 1 || ptx::bytes_of(type) > 8 || type == Type::pred) return unsupported(i);
  Operand const& from = operand(i, 1);
  Where const at = where(operand(i, 0), space);
  if (error_) return;
  if (at.window == Window::param) return invalid("a store to the kernel's parameters");
  bool const vector = from.kind == Operand::Kind::vector;
  if (vector ? from.elements.size() != count : count != 1)
    return invalid("as many registers as elements are needed");
  std::uint32_t bytes = width_of(type);
  for (std::uint32_t k = 0; k < count; ++k) {
    Operand const& element = vector ? from.elements[k] : from;
    if (element.kind == Operand::Kind::reg && element.reg + 1 < draft_->registers.size())
      bytes = std::max(bytes, register_width(element.reg + 1));
  }
  std::vector<std::uint32_t> registers;
  for (std::uint32_t k = 0; k < count; ++k) {
    Operand const& element = vector ? from.elements[k] : from;
    bool const is_immediate = element.kind == Operand::Kind::integer || element.kind == Operand::Kind::real;
    registers.push_back(is_immediate ? constant(bytes, immediate(element, type))
                                     : source_of_width(element, bytes));
  }
  std::string const form = is_local(at.window) ? "st.local" : vector ? "st.v" : "st";
  Draft& draft = emit(fmt::format("{}.u{}.b{}", form, ptx::bytes_of(type) * 8, bytes * 8), 0);
  set_address(draft.op, at);
  draft.op.count = static_cast<std::uint8_t>(count);
  draft.d_is_source = true;
  if (vector)
    draft.extra = std::move(registers);
  else
    draft.op.d = registers[0];
}

void Lowering::atom(Instruction const& i, Modifiers const& m) {
  static constexpr std::string_view operations[] = {"add", "min", "max", "inc",  "dec",
                                                    "and", "or",  "xor", "exch", "cas"};
  Space space = Space::none;
  std::string_view operation;
  for (std::string_view const word : m.words) {
    if (std::find(std::begin(operations), std::end(operations), word) != std::end(operations))
      operation = word;
    else if (Space const s = space_named(word); s != Space::none)
      space = s;
    else if (!is_hint(word) || word == "L2::cache_hint")
      return unsupported(i);
  }
  Type const type = m.type();
  if (m.types.size() != 1 || ptx::bytes_of(type) > 8) return unsupported(i);
  bool const sign_free =
      (operation != "min" && operation != "max" && operation != "inc" && operation != "dec");
  Type const by = sign_free && !is_float(type) ? bits_type(ptx::bytes_of(type)) : type;
  std::string const key = fmt::format("atom.{}.{}", operation, name_of(by));
  if (find_handler(key, build_.isa) == nullptr) return unsupported(i);
  bool const reduction = i.mnemonic == "red";
  std::size_t const first = reduction ? 0 : 1;
  Where const at = where(operand(i, first), space);
  std::uint32_t const b = source_of_width(operand(i, first + 1), width_of(type));
  std::uint32_t const c = operation == "cas" ? source_of_width(operand(i, first + 2), width_of(type)) : 0;
  std::uint32_t const d = reduction ? 0 : destination(operand(i, 0), type);
  if (error_) return;
  if (at.window == Window::param || is_local(at.window))
    return invalid("an atomic on memory that no other thread sees");
  Draft& draft = emit(key, d, 0, b, c);
  set_address(draft.op, at);
  draft.op.discard = reduction;
}

} // namespace pegasus::software
