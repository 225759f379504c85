// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/operands.h"

#include "domA/device/software/exec/compile/immediate.h"
#include "domA/device/software/exec/compile/special_registers.h"
#include "domA/device/software/exec/compile/value_types.h"
#include "domA/device/software/exec/memory/windows.h"
#include "domA/device/software/exec/ops.h"

#include <fmt/format.h>

namespace pegasus::software {

ptx::Operand const& Operands::at(ptx::Instruction const& i, std::size_t k) {
  static Operand const none{};
  if (k < i.operands.size()) return i.operands[k];
  errors_.invalid(fmt::format("'{}' has {} operands; it needs more", i.mnemonic, i.operands.size()));
  return none;
}

std::uint32_t Operands::special(Operand const& o, std::uint32_t bytes) {
  auto const which = special_register(o.symbol);
  if (which && bytes == 2 && *which <= SpecialRegister::nctaid_z) { // the width before PTX 2.0 (PTX ISA 10)
    std::uint32_t const d = registers_.fresh(2);
    code_.emit("cvt.u16.u32", d, special(o, 4));
    return d;
  }
  if (which && (bytes == 4 || bytes == 8)) {
    std::uint32_t const d = registers_.fresh(bytes);
    code_.emit(bytes == 4 ? op_special32 : op_special64, d).op.imm = static_cast<std::uint64_t>(*which);
    return d;
  }
  errors_.fail(
      device::Status::not_supported,
      fmt::format("the software accelerator has no special register {} of {} bits", o.symbol, bytes * 8));
  return 0;
}

// The address of a symbol in its own state space; a kernel parameter is in a window of the generic space.
std::uint32_t Operands::address_of(Operand const& o, std::uint32_t bytes) {
  using Kind = Layout::Place::Kind;
  if (bytes != 4 && bytes != 8) {
    errors_.invalid(fmt::format("the address of '{}' as a value of {} bits", o.symbol, bytes * 8));
    return 0;
  }
  Layout::Place const place = layout_.find(o.symbol);
  std::uint64_t const at = place.at + static_cast<std::uint64_t>(o.offset);
  switch (place.kind) {
  case Kind::none:
    errors_.invalid(fmt::format("no unit defines '{}'", o.symbol));
    return 0;
  case Kind::frame: {
    std::uint32_t const d = registers_.fresh(bytes);
    code_.emit(bytes == 4 ? op_local_address32 : op_local_address64, d).op.imm = at;
    return d;
  }
  case Kind::kernel_parameter:
    return registers_.constant(bytes, param_window + at);
  default:
    return registers_.constant(bytes, at);
  }
}

std::uint32_t Operands::register_source(Operand const& o, Type type) {
  std::uint32_t const bytes = width_of(type);
  std::uint32_t const r = registers_.declared(o);
  if (r == 0 || registers_.width(r) != bytes) {
    errors_.invalid(fmt::format("a register of another size where {} is needed", name_of(type)));
    return 0;
  }
  if (bytes != 0 || !o.negated) return r;
  std::uint32_t const inverse = registers_.fresh(0);
  code_.emit("not.pred", inverse, r);
  return inverse;
}

std::uint32_t Operands::source(Operand const& o, Type type) {
  std::uint32_t const bytes = width_of(type);
  switch (o.kind) {
  case Operand::Kind::reg:
    return register_source(o, type);
  case Operand::Kind::integer:
  case Operand::Kind::real:
    return registers_.constant(bytes, immediate(o, type) ^ (bytes == 0 && o.negated ? 1 : 0));
  case Operand::Kind::special:
    return special(o, bytes);
  case Operand::Kind::symbol:
    return address_of(o, bytes);
  case Operand::Kind::address: // an array element as an operand of mov
    if (!o.reg_base && !o.symbol.empty()) return address_of(o, bytes);
    [[fallthrough]];
  default:
    errors_.invalid("an operand that is not a value");
    return 0;
  }
}

std::uint32_t Operands::source_of_width(Operand const& o, std::uint32_t bytes) {
  return source(o, bits_type(bytes));
}

std::uint32_t Operands::source_loose(Operand const& o, Type type) {
  std::uint32_t const bytes = width_of(type);
  std::uint32_t const r = registers_.declared(o);
  if (r == 0 || registers_.width(r) <= bytes) return source(o, type);
  std::uint32_t const cut = registers_.fresh(bytes);
  code_.emit(fmt::format("narrow.{}.{}", registers_.width(r) * 8, bytes * 8), cut, r);
  return cut;
}

std::uint32_t Operands::destination(Operand const& o, Type type) {
  return destination_of_width(o, width_of(type));
}

std::uint32_t Operands::destination_of_width(Operand const& o, std::uint32_t bytes) {
  if (o.kind == Operand::Kind::discard) return registers_.fresh(bytes);
  std::uint32_t const r = registers_.declared(o);
  if (r == 0 || registers_.width(r) != bytes) {
    errors_.invalid(fmt::format("the destination is not a register of {} bits", bytes == 0 ? 1 : bytes * 8));
    return 0;
  }
  return r;
}

Operands::Loose Operands::destination_loose(Operand const& o, Type type) {
  std::uint32_t const bytes = width_of(type);
  if (std::uint32_t const r = registers_.declared(o); r != 0 && registers_.width(r) > bytes)
    return {registers_.fresh(bytes), r};
  std::uint32_t const d = destination(o, type);
  return {d, d};
}

void Operands::widen(Loose const& d, Type type) {
  if (d.natural == d.real) return;
  code_.emit(fmt::format("widen.{}.{}.{}", is_signed(type) ? "s" : "u", width_of(type) * 8,
                         registers_.width(d.real) * 8),
             d.real, d.natural);
}

} // namespace pegasus::software
