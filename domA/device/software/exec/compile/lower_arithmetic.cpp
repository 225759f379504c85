// SPDX-License-Identifier: Apache-2.0
// Instructions whose operands all follow from their type: a row in the table of rules says how.
#include "domA/device/software/exec/compile/lower.h"

#include <fmt/format.h>

namespace pegasus::software {

namespace {

using ptx::Type;

bool is_integer(Type type) { return type != Type::none && type != Type::pred && !is_float(type); }

// Addition, subtraction and the low half of a product are the same for both signs.
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

} // namespace

void Lowering::simple(Instruction const& i, Modifiers const& m) {
  Type const type = m.type();
  if (type == Type::none || width_of(type) > 8) return unsupported(i);
  // mad of floats is fma (PTX ISA 9.7.3.7).
  std::string_view const mnemonic = i.mnemonic == "mad" && is_float(type) ? "fma" : i.mnemonic;
  std::string const key = key_of(mnemonic, m);
  Handler const fn = find_handler(key, build_.isa);
  if (fn == nullptr) return unsupported(i);
  bool const wide = m.has("wide");
  std::uint32_t const bytes = width_of(type);
  std::string_view const shape = rule_->shape;
  std::size_t const sources = shape.size() - 2;
  if (i.operands.size() != sources + 1)
    return invalid(fmt::format("'{}' needs {} operands", i.mnemonic, sources + 1));
  std::uint32_t s[4] = {};
  for (std::size_t k = 0; k < sources; ++k) {
    Operand const& o = i.operands[k + 1];
    switch (shape[k + 2]) {
    case '4':
      s[k] = source(o, Type::u32);
      break;
    case 'p':
      s[k] = source(o, Type::pred);
      break;
    default:
      s[k] = wide && k == 2 ? source_of_width(o, bytes * 2) : source(o, type);
      break;
    }
  }
  std::uint32_t d = 0;
  switch (shape[0]) {
  case '4':
    d = destination(i.operands[0], Type::u32);
    break;
  case 'p':
    d = destination(i.operands[0], Type::pred);
    break;
  default:
    d = destination_of_width(i.operands[0], wide ? bytes * 2 : bytes);
    break;
  }
  Draft& draft = emit(fn, d, s[0], s[1], s[2]);
  draft.op.e = s[3];
  draft.op.round = m.round;
}

void Lowering::lop3(Instruction const& i, Modifiers const& m) {
  if (i.operands.size() != 5 || i.operands[4].kind != Operand::Kind::integer || !m.words.empty())
    return unsupported(i);
  std::uint32_t const a = source(i.operands[1], Type::b32), b = source(i.operands[2], Type::b32);
  std::uint32_t const c = source(i.operands[3], Type::b32);
  emit("lop3.b32", destination(i.operands[0], Type::b32), a, b, c).op.imm = i.operands[4].bits & 0xff;
}

// dp4a.atype.btype, dp2a.mode.atype.btype and vabsdiff{2,4}.dtype.atype.btype{.add} on 32-bit registers.
void Lowering::raw_key(Instruction const& i, Modifiers const& m) {
  std::string key(i.mnemonic);
  for (std::string_view const word : m.words)
    key.append(".").append(word);
  bool const video = i.mnemonic[0] == 'v';
  if (m.types.size() != (video ? 3u : 2u) || m.sat) return unsupported(i);
  for (std::size_t k = video ? 1 : 0; k < m.types.size(); ++k)
    key.append(".").append(name_of(m.types[k]));
  std::uint32_t s[3] = {};
  for (std::size_t k = 0; k < 3; ++k) {
    Operand const& o = operand(i, k + 1);
    if (o.kind == Operand::Kind::reg && (!o.symbol.empty() || o.negated))
      return unsupported(i, "byte selectors");
    s[k] = source(o, Type::b32);
  }
  if (find_handler(key, build_.isa) == nullptr) return unsupported(i);
  emit(key, destination(operand(i, 0), Type::b32), s[0], s[1], s[2]);
}

void Lowering::slct(Instruction const& i, Modifiers const& m) {
  std::uint32_t const bytes = width_of(m.type());
  if (m.types.size() != 2 || width_of(m.type(1)) != 4) return unsupported(i);
  std::uint32_t const a = source(operand(i, 1), m.type()), b = source(operand(i, 2), m.type());
  std::uint32_t const c = source(operand(i, 3), m.type(1));
  emit(fmt::format("slct.{}{}.{}", m.ftz ? "ftz." : "", name_of(bits_type(bytes)), name_of(m.type(1))),
       destination_of_width(operand(i, 0), bytes), a, b, c);
}

} // namespace pegasus::software
