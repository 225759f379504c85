// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/convert.h"

#include "domA/device/software/exec/memory/windows.h"
#include "domA/device/software/exec/ops.h"

#include <fmt/format.h>

namespace pegasus::software {
namespace {

using ptx::Instruction;
using ptx::Type;

Type as_integer(Type type) { // .b types convert as unsigned
  switch (type) {
  case Type::b8:
    return Type::u8;
  case Type::b16:
    return Type::u16;
  case Type::b32:
    return Type::u32;
  case Type::b64:
    return Type::u64;
  default:
    return type;
  }
}

std::string cvt_key(Type to, Type from, Modifiers const& m) {
  std::string key = "cvt";
  bool const to_integer = !is_float(to);
  if (is_float(from) && (to_integer || to == from) && !m.integral.empty()) key.append(".").append(m.integral);
  bool const flushes = m.ftz && (from == Type::f32 || to == Type::f32);
  if (flushes && is_float(from) && !(to_integer && from != Type::f32)) key += ".ftz";
  if (m.sat && !(to_integer && is_float(from))) key += ".sat"; // conversions to an integer always clamp
  return key.append(".").append(name_of(to)).append(".").append(name_of(from));
}

// cvt.{rn,rz}{.relu}.type.f32 to 16 bits, of two values to a pair.
void lower_narrowing(Lowering& l, Instruction const& i, Modifiers const& m, Type to) {
  bool const toward_zero = m.round == Round::zero, relu = m.has("relu");
  bool const pair = to == Type::f16x2 || to == Type::bf16x2;
  bool const old = to == Type::f16x2 && !relu && !toward_zero;
  if (!old && !l.has(80, i)) return;
  if ((m.round != Round::nearest && !toward_zero) || m.sat || m.ftz || m.words.size() != (relu ? 1 : 0))
    return l.errors.unsupported(i);
  if (i.operands.size() != (pair ? 3 : 2))
    return l.errors.invalid("a conversion has one source, and of a pair two");
  std::string const key =
      fmt::format("cvt{}{}.{}.f32", toward_zero ? ".rz" : "", relu ? ".relu" : "", name_of(to));
  std::uint32_t const a = l.operands.source(i, 1, Type::f32);
  std::uint32_t const b = pair ? l.operands.source(i, 2, Type::f32) : 0;
  Operands::Loose const d = l.operands.destination_loose(i.operands[0], pair ? Type::b32 : Type::b16);
  l.code.emit(key, d.natural, a, b);
  l.operands.widen(d, Type::b16);
}

// cvt.rna.tf32.f32
void lower_to_tf32(Lowering& l, Instruction const& i, Modifiers const& m) {
  if (!l.has(80, i)) return;
  if (m.words != std::vector<std::string_view>{"rna", "tf32"} || m.types.size() != 1 ||
      m.type() != Type::f32 || m.sat || m.ftz)
    return l.errors.unsupported(i);
  std::uint32_t const a = l.operands.source(i, 1, Type::f32);
  l.code.emit("cvt.tf32.f32", l.operands.destination(i, 0, Type::b32), a);
}

} // namespace

void lower_cvt(Lowering& l, Instruction const& i, Modifiers const& m) {
  if (m.has("tf32")) return lower_to_tf32(l, i, m);
  if (m.types.size() != 2) return l.errors.unsupported(i);
  Type const to = as_integer(m.type(0)), from = as_integer(m.type(1));
  if (from == Type::f32 && m.integral.empty() &&
      (to == Type::f16x2 || to == Type::bf16 || to == Type::bf16x2 || (to == Type::f16 && m.has("relu"))))
    return lower_narrowing(l, i, m, to);
  for (std::string_view const word : m.words)
    if (word != "relu" || to != from) return l.errors.unsupported(i);
  if (is_float(from) && !is_float(to) && m.integral.empty())
    return l.errors.invalid("cvt from a float to an integer without .rni, .rzi, .rmi or .rpi");
  std::string key = cvt_key(to, from, m);
  if (to == Type::f16 && from == Type::f16 && m.integral.empty() && !m.sat) key = "mov.b16";
  if (l.code.handler(key) == nullptr) return l.errors.unsupported(i);
  std::uint32_t const a = l.operands.source_loose(l.operands.at(i, 1), from);
  Operands::Loose const d = l.operands.destination_loose(l.operands.at(i, 0), to);
  l.code.emit(key, d.natural, a).op.round = m.round;
  l.operands.widen(d, to);
}

void lower_cvta(Lowering& l, Instruction const& i, Modifiers const& m) {
  if (m.type() != Type::u64 && m.type() != Type::b64)
    return l.errors.unsupported(i, "addresses are 64 bits wide");
  std::uint64_t window = 0;
  for (std::string_view const word : m.words) {
    if (word == "shared" || word == "shared::cta") window = shared_window;
    if (word == "local") window = local_window;
    if (word == "param" && !l.function.entry)
      window = local_window; // a function's parameters are in local memory
    if (word == "shared::cluster") return l.errors.unsupported(i);
  }
  std::uint32_t const a = l.operands.source(i, 1, Type::u64);
  std::uint32_t const d = l.operands.destination(i, 0, Type::u64);
  if (window == 0)
    l.code.emit("mov.b64", d, a);
  else
    l.code.emit(m.has("to") ? "sub.b64" : "add.b64", d, a, l.registers.constant(8, window));
}

void lower_isspacep(Lowering& l, Instruction const& i, Modifiers const& m) {
  std::uint64_t window = 0;
  for (std::string_view const word : m.words) {
    if (word == "global" || word == "const") window = global_window;
    if (word == "shared" || word == "shared::cta" || word == "shared::cluster") window = shared_window;
    if (word == "local") window = local_window;
    if (word == "param" || word == "param::entry") window = param_window;
  }
  if (window == 0) return l.errors.unsupported(i);
  std::uint32_t const a = l.operands.source(i, 1, Type::u64);
  l.code.emit(op_is_space, l.operands.destination(i, 0, Type::pred), a).op.imm = window;
}

} // namespace pegasus::software
