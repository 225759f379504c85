// SPDX-License-Identifier: Apache-2.0
// cvt, mov, and address conversions: PTX ISA 9.7.9.
#include "domA/device/software/exec/compile/lower.h"

#include "domA/device/software/exec/memory/windows.h"
#include "domA/device/software/exec/ops.h"

#include <fmt/format.h>

namespace pegasus::software {

using ptx::Type;

namespace {

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
  if (m.sat && !(to_integer && is_float(from))) key += ".sat"; // to an integer always clamps
  return key.append(".").append(name_of(to)).append(".").append(name_of(from));
}

} // namespace

void Lowering::cvt(Instruction const& i, Modifiers const& m) {
  if (m.types.size() != 2) return unsupported(i);
  Type const to = as_integer(m.type(0)), from = as_integer(m.type(1));
  for (std::string_view const word : m.words)
    if (word != "relu" || to != from) return unsupported(i);
  if (to == Type::f16x2 && from == Type::f32 && i.operands.size() == 3) {
    std::uint32_t const high = source(i.operands[1], from), low = source(i.operands[2], from);
    if (m.round != Round::nearest || m.sat) return unsupported(i);
    emit("cvt.f16x2.f32", destination(i.operands[0], Type::b32), high, low);
    return;
  }
  if (is_float(from) && !is_float(to) && m.integral.empty())
    return invalid("cvt from a float to an integer without .rni, .rzi, .rmi or .rpi");
  std::string key = cvt_key(to, from, m);
  if (to == Type::f16 && from == Type::f16 && m.integral.empty() && !m.sat) key = "mov.b16";
  if (find_handler(key, build_.isa) == nullptr) return unsupported(i);
  std::uint32_t const a = source_loose(operand(i, 1), from);
  Loose const d = destination_loose(operand(i, 0), to);
  emit(key, d.natural, a).op.round = m.round;
  widen(d, to);
}

void Lowering::mov(Instruction const& i, Modifiers const& m) {
  Type const type = m.type();
  if (i.operands.size() != 2 || type == Type::none || width_of(type) > 8) return unsupported(i);
  Operand const& to = i.operands[0];
  Operand const& from = i.operands[1];
  if (from.kind == Operand::Kind::vector) return pack(to, from, type);
  if (to.kind == Operand::Kind::vector) return unpack(to, from, type);
  std::uint32_t const a = source(from, type);
  std::uint32_t const d = destination(to, type);
  // A value that was just made for this mov is made in place.
  if (from.kind != Operand::Kind::reg && !error_ && !draft_->ops.empty() && draft_->ops.back().op.d == a &&
      a != 0 && !draft_->registers[a].constant && a == draft_->registers.size() - 1) {
    draft_->ops.back().op.d = d;
    return;
  }
  emit(fmt::format("mov.{}", name_of(bits_type(width_of(type)))), d, a);
}

void Lowering::pack(Operand const& to, Operand const& from, Type type) {
  auto const n = static_cast<std::uint32_t>(from.elements.size());
  std::uint32_t const bytes = width_of(type);
  std::string const key = fmt::format("pack{}.{}", n, name_of(bits_type(bytes)));
  if (n == 0 || bytes == 0 || find_handler(key, build_.isa) == nullptr)
    return fail(device::Status::not_supported,
                fmt::format("mov of {} elements into a register of {} bits", n, bytes * 8));
  std::uint32_t s[4] = {};
  for (std::uint32_t k = 0; k < n; ++k)
    s[k] = source_of_width(from.elements[k], bytes / n);
  emit(key, destination(to, type), s[0], s[1], s[2]).op.e = s[3];
}

void Lowering::unpack(Operand const& to, Operand const& from, Type type) {
  auto const n = static_cast<std::uint32_t>(to.elements.size());
  std::uint32_t const bytes = width_of(type);
  std::string const key = fmt::format("unpack{}.{}", n, name_of(bits_type(bytes)));
  if (n == 0 || bytes == 0 || find_handler(key, build_.isa) == nullptr)
    return fail(device::Status::not_supported,
                fmt::format("mov of a register of {} bits into {} elements", bytes * 8, n));
  std::uint32_t const a = source(from, type);
  std::vector<std::uint32_t> parts;
  for (Operand const& element : to.elements)
    parts.push_back(destination_of_width(element, bytes / n));
  Draft& draft = emit(key, 0, a);
  draft.op.count = static_cast<std::uint8_t>(n);
  draft.extra = std::move(parts);
  draft.extra_defines = true;
}

void Lowering::cvta(Instruction const& i, Modifiers const& m) {
  if (m.type() != Type::u64 && m.type() != Type::b64) return unsupported(i, "addresses are 64 bits wide");
  std::uint64_t window = 0;
  for (std::string_view const word : m.words) {
    if (word == "shared" || word == "shared::cta") window = shared_window;
    if (word == "local") window = local_window;
    if (word == "param" && !f_.entry) window = local_window; // a function's parameters are in local memory
    if (word == "shared::cluster") return unsupported(i);
  }
  std::uint32_t const a = source(operand(i, 1), Type::u64);
  std::uint32_t const d = destination(operand(i, 0), Type::u64);
  if (window == 0)
    emit("mov.b64", d, a);
  else
    emit(m.has("to") ? "sub.b64" : "add.b64", d, a, constant(8, window));
}

void Lowering::isspacep(Instruction const& i, Modifiers const& m) {
  std::uint64_t window = 0;
  for (std::string_view const word : m.words) {
    if (word == "global" || word == "const") window = global_window;
    if (word == "shared" || word == "shared::cta" || word == "shared::cluster") window = shared_window;
    if (word == "local") window = local_window;
    if (word == "param" || word == "param::entry") window = param_window;
  }
  if (window == 0) return unsupported(i);
  std::uint32_t const a = source(operand(i, 1), Type::u64);
  emit(op_is_space, destination(operand(i, 0), Type::pred), a).op.imm = window;
}

} // namespace pegasus::software
