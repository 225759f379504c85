// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/memory.h"

#include "domA/device/software/exec/compile/immediate.h"
#include "domA/device/software/exec/compile/rules/cache.h"
#include "domA/device/software/exec/compile/rules/memory_words.h"
#include "domA/device/software/exec/ops.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pegasus::software {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

// The type in memory; its sign matters only if the register is wider.
std::string memory_type(Type type, std::uint32_t register_bytes) {
  std::uint32_t const bytes = ptx::bytes_of(type);
  return fmt::format("{}{}", is_signed(type) && bytes < register_bytes ? "s" : "u", bytes * 8);
}

bool is_vector(Operand const& o) { return o.kind == Operand::Kind::vector; }
bool is_number(Operand const& o) { return o.kind == Operand::Kind::integer || o.kind == Operand::Kind::real; }

// The loaded or stored elements.
std::span<Operand const> elements_of(Operand const& o) {
  return is_vector(o) ? std::span<Operand const>(o.elements) : std::span<Operand const>(&o, 1);
}

// Registers may be wider than the type; then they all have the same width.
std::uint32_t element_bytes(Lowering& l, std::span<Operand const> elements, Type type) {
  std::uint32_t bytes = width_of(type);
  for (Operand const& element : elements)
    bytes = std::max(bytes, l.registers.width(l.registers.declared(element)));
  return bytes;
}

// A scalar parameter of the kernel is the same for all threads: needs no address and no check.
bool load_parameter(Lowering& l, MemoryPlace const& at, Operand const& to, Type type, std::uint32_t count) {
  std::uint32_t const bytes = ptx::bytes_of(type);
  if (!at.kernel_parameter || count != 1 || (bytes != 4 && bytes != 8)) return false;
  std::uint32_t const r = l.registers.declared(to);
  if (r == 0 || l.registers.width(r) != bytes) return false;
  std::uint32_t const all = l.build.kernel.info.parameter_bytes;
  if (at.imm > all || bytes > all - at.imm) return false;
  l.code.emit(bytes == 4 ? op_parameter32 : op_parameter64, r).op.imm = at.imm;
  return true;
}

// The op for these registers and the memory at `at`.
void transfer(Lowering& l, std::string const& key, MemoryPlace const& at,
              std::vector<std::uint32_t> registers, bool vector, bool stores) {
  Draft& draft = l.code.emit(key, 0);
  l.addressing.put(draft.op, at);
  draft.op.count = static_cast<std::uint8_t>(registers.size());
  draft.d_is_source = stores;
  if (vector) {
    draft.extra_defined = stores ? 0 : static_cast<std::uint32_t>(registers.size());
    draft.extra = std::move(registers);
  } else {
    draft.op.d = registers[0];
  }
}

} // namespace

void lower_ld(Lowering& l, Instruction const& i, Modifiers const& m) {
  std::optional<MemoryWords> const words = memory_words(i);
  if (!words) return l.errors.unsupported(i);
  if (words->policy) lower_policy(l, i, 2);
  Type const type = m.type();
  if (m.types.size() != 1 || ptx::bytes_of(type) > 8 || type == Type::pred) return l.errors.unsupported(i);
  Operand const& to = l.operands.at(i, 0);
  MemoryPlace const at = l.addressing.place_of(l.operands.at(i, 1), words->space);
  if (l.errors.failed() || load_parameter(l, at, to, type, words->count)) return;
  std::span<Operand const> const elements = elements_of(to);
  if (elements.size() != words->count) return l.errors.invalid("as many registers as elements are needed");
  std::uint32_t const bytes = element_bytes(l, elements, type);
  std::vector<std::uint32_t> registers;
  for (Operand const& element : elements)
    registers.push_back(l.operands.destination_of_width(element, bytes));
  char const* const form = at.is_local() ? "ld.local" : is_vector(to) ? "ld.v" : "ld";
  transfer(l, fmt::format("{}.{}.b{}", form, memory_type(type, bytes), bytes * 8), at, std::move(registers),
           is_vector(to), false);
}

void lower_st(Lowering& l, Instruction const& i, Modifiers const& m) {
  std::optional<MemoryWords> const words = memory_words(i);
  if (!words) return l.errors.unsupported(i);
  if (words->policy) lower_policy(l, i, 2);
  Type const type = m.type();
  if (m.types.size() != 1 || ptx::bytes_of(type) > 8 || type == Type::pred) return l.errors.unsupported(i);
  Operand const& from = l.operands.at(i, 1);
  MemoryPlace const at = l.addressing.place_of(l.operands.at(i, 0), words->space);
  if (l.errors.failed()) return;
  if (at.window == Window::param) return l.errors.invalid("a store to the kernel's parameters");
  std::span<Operand const> const elements = elements_of(from);
  if (elements.size() != words->count) return l.errors.invalid("as many registers as elements are needed");
  std::uint32_t const bytes = element_bytes(l, elements, type);
  std::vector<std::uint32_t> registers;
  for (Operand const& element : elements)
    registers.push_back(is_number(element) ? l.registers.constant(bytes, immediate(element, type))
                                           : l.operands.source_of_width(element, bytes));
  char const* const form = at.is_local() ? "st.local" : is_vector(from) ? "st.v" : "st";
  transfer(l, fmt::format("{}.u{}.b{}", form, ptx::bytes_of(type) * 8, bytes * 8), at, std::move(registers),
           is_vector(from), true);
}

} // namespace pegasus::software
