// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/arithmetic.h"

#include <fmt/format.h>

namespace pegasus::software {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

void lower_lop3(Lowering& l, Instruction const& i, Modifiers const& m) {
  if (i.operands.size() != 5 || i.operands[4].kind != Operand::Kind::integer || !m.words.empty())
    return l.errors.unsupported(i);
  std::uint32_t const a = l.operands.source(i, 1, Type::b32);
  std::uint32_t const b = l.operands.source(i, 2, Type::b32);
  std::uint32_t const c = l.operands.source(i, 3, Type::b32);
  l.code.emit("lop3.b32", l.operands.destination(i, 0, Type::b32), a, b, c).op.imm =
      i.operands[4].bits & 0xff;
}

// dp4a.atype.btype, dp2a.mode.atype.btype and vabsdiff{2,4}.dtype.atype.btype{.add} on 32-bit registers.
void lower_by_key(Lowering& l, Instruction const& i, Modifiers const& m) {
  std::string key(i.mnemonic);
  for (std::string_view const word : m.words)
    key.append(".").append(word);
  bool const video = i.mnemonic[0] == 'v';
  if (m.types.size() != (video ? 3u : 2u) || m.sat) return l.errors.unsupported(i);
  for (std::size_t k = video ? 1 : 0; k < m.types.size(); ++k)
    key.append(".").append(name_of(m.types[k]));
  std::uint32_t s[3] = {};
  for (std::size_t k = 0; k < 3; ++k) {
    Operand const& o = l.operands.at(i, k + 1);
    if (o.kind == Operand::Kind::reg && (!o.symbol.empty() || o.negated))
      return l.errors.unsupported(i, "byte selectors");
    s[k] = l.operands.source(o, Type::b32);
  }
  if (l.code.handler(key) == nullptr) return l.errors.unsupported(i);
  l.code.emit(key, l.operands.destination(i, 0, Type::b32), s[0], s[1], s[2]);
}

void lower_slct(Lowering& l, Instruction const& i, Modifiers const& m) {
  std::uint32_t const bytes = width_of(m.type());
  if (m.types.size() != 2 || width_of(m.type(1)) != 4) return l.errors.unsupported(i);
  std::uint32_t const a = l.operands.source(i, 1, m.type());
  std::uint32_t const b = l.operands.source(i, 2, m.type());
  std::uint32_t const c = l.operands.source(i, 3, m.type(1));
  l.code.emit(fmt::format("slct.{}{}.{}", m.ftz ? "ftz." : "", name_of(bits_type(bytes)), name_of(m.type(1))),
              l.operands.destination_of_width(l.operands.at(i, 0), bytes), a, b, c);
}

} // namespace pegasus::software
