// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/move.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

namespace pegasus::software {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

void pack(Lowering& l, Operand const& to, Operand const& from, Type type) {
  auto const n = static_cast<std::uint32_t>(from.elements.size());
  std::uint32_t const bytes = width_of(type);
  std::string const key = fmt::format("pack{}.{}", n, name_of(bits_type(bytes)));
  if (n == 0 || bytes == 0 || l.code.handler(key) == nullptr)
    return l.errors.fail(device::Status::not_supported,
                         fmt::format("mov of {} elements into a register of {} bits", n, bytes * 8));
  std::uint32_t s[4] = {};
  for (std::uint32_t k = 0; k < n; ++k)
    s[k] = l.operands.source_of_width(from.elements[k], bytes / n);
  l.code.emit(key, l.operands.destination(to, type), s[0], s[1], s[2]).op.e = s[3];
}

void unpack(Lowering& l, Operand const& to, Operand const& from, Type type) {
  auto const n = static_cast<std::uint32_t>(to.elements.size());
  std::uint32_t const bytes = width_of(type);
  std::string const key = fmt::format("unpack{}.{}", n, name_of(bits_type(bytes)));
  if (n == 0 || bytes == 0 || l.code.handler(key) == nullptr)
    return l.errors.fail(device::Status::not_supported,
                         fmt::format("mov of a register of {} bits into {} elements", bytes * 8, n));
  std::uint32_t const a = l.operands.source(from, type);
  std::vector<std::uint32_t> parts;
  for (Operand const& element : to.elements)
    parts.push_back(l.operands.destination_of_width(element, bytes / n));
  Draft& draft = l.code.emit(key, 0, a);
  draft.op.count = static_cast<std::uint8_t>(n);
  draft.extra_defined = n;
  draft.extra = std::move(parts);
}

} // namespace

void lower_mov(Lowering& l, Instruction const& i, Modifiers const& m) {
  Type const type = m.type();
  if (i.operands.size() != 2 || type == Type::none || width_of(type) > 8) return l.errors.unsupported(i);
  Operand const& to = i.operands[0];
  Operand const& from = i.operands[1];
  if (from.kind == Operand::Kind::vector) return pack(l, to, from, type);
  if (to.kind == Operand::Kind::vector) return unpack(l, to, from, type);
  std::uint32_t const a = l.operands.source(from, type);
  std::uint32_t const d = l.operands.destination(to, type);
  // A temporary that was just computed for this mov is computed directly in the destination.
  if (from.kind != Operand::Kind::reg && !l.errors.failed() && l.registers.is_newest_temporary(a) &&
      l.code.last() != nullptr && l.code.last()->op.d == a) {
    l.code.last()->op.d = d;
    return;
  }
  l.code.emit(fmt::format("mov.{}", name_of(bits_type(width_of(type)))), d, a);
}

} // namespace pegasus::software
