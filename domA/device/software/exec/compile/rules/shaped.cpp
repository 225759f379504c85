// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/shaped.h"

#include <fmt/format.h>

namespace pegasus::software {
namespace {

using ptx::Operand;
using ptx::Type;

bool is_integer(Type type) { return type != Type::none && type != Type::pred && !is_float(type); }

// Addition, subtraction and the low half of a product do not depend on the sign.
bool sign_free(std::string_view mnemonic, Modifiers const& m) {
  if (m.sat || !is_integer(m.type())) return false;
  if (mnemonic == "add" || mnemonic == "sub" || mnemonic == "addc" || mnemonic == "subc") return true;
  return (mnemonic == "mul" || mnemonic == "mad" || mnemonic == "madc") && m.has("lo");
}

std::string key_of(std::string_view mnemonic, Modifiers const& m) {
  std::string key(mnemonic);
  for (std::string_view const word : m.words)
    key.append(".").append(word);
  if (m.ftz) key += ".ftz";
  if (m.sat) key += ".sat";
  Type type = m.type();
  if (sign_free(mnemonic, m) || mnemonic == "selp") type = bits_type(width_of(type));
  return key.append(".").append(name_of(type));
}

std::uint32_t shaped_source(Lowering& l, Operand const& o, char shape, Type type, bool wide) {
  switch (shape) {
  case '4':
    return l.operands.source(o, Type::u32);
  case 'p':
    return l.operands.source(o, Type::pred);
  default:
    return wide ? l.operands.source_of_width(o, width_of(type) * 2) : l.operands.source(o, type);
  }
}

std::uint32_t shaped_destination(Lowering& l, Operand const& o, char shape, Type type, bool wide) {
  switch (shape) {
  case '4':
    return l.operands.destination(o, Type::u32);
  case 'p':
    return l.operands.destination(o, Type::pred);
  default:
    return l.operands.destination_of_width(o, width_of(type) * (wide ? 2 : 1));
  }
}

} // namespace

void lower_shaped(Lowering& l, ptx::Instruction const& i, Modifiers const& m, std::string_view shape) {
  Type const type = m.type();
  if (type == Type::none || width_of(type) > 8) return l.errors.unsupported(i);
  if (type == Type::bf16 || type == Type::bf16x2) {
    if (!l.has(80, i)) return;
    if (m.round != Round::nearest) return l.errors.unsupported(i);
  }
  // mad of floats is fma (PTX ISA 9.7.3.7).
  std::string_view const mnemonic = i.mnemonic == "mad" && is_float(type) ? "fma" : i.mnemonic;
  Handler const fn = l.code.handler(key_of(mnemonic, m));
  if (fn == nullptr) return l.errors.unsupported(i);
  bool const wide = m.has("wide");
  std::size_t const sources = shape.size() - 2;
  if (i.operands.size() != sources + 1)
    return l.errors.invalid(fmt::format("'{}' needs {} operands", i.mnemonic, sources + 1));
  std::uint32_t s[4] = {};
  for (std::size_t k = 0; k < sources; ++k)
    s[k] = shaped_source(l, i.operands[k + 1], shape[k + 2], type, wide && k == 2);
  std::uint32_t const d = shaped_destination(l, i.operands[0], shape[0], type, wide);
  Draft& draft = l.code.emit(fn, d, s[0], s[1], s[2]);
  draft.op.e = s[3];
  draft.op.round = m.round;
}

} // namespace pegasus::software
