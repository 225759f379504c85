// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/addressing.h"

#include "domA/device/software/exec/memory/windows.h"

#include <fmt/format.h>

namespace pegasus::software {

using ptx::Operand;
using ptx::Space;

Window Addressing::window_of(Space space) const {
  switch (space) {
  case Space::shared:
    return Window::shared;
  case Space::local:
    return Window::local;
  case Space::param:
    return function_.entry ? Window::param : Window::local;
  case Space::none:
    return Window::generic;
  default:
    return Window::global;
  }
}

void Addressing::find_symbol(Operand const& o, MemoryPlace& at) {
  using Kind = Layout::Place::Kind;
  Layout::Place const place = layout_.find(o.symbol);
  at.imm += place.at;
  switch (place.kind) {
  case Kind::frame:
    at.window = Window::frame;
    return;
  case Kind::kernel_parameter:
    at.window = Window::param;
    at.kernel_parameter = true;
    return;
  case Kind::shared:
    at.window = Window::shared;
    return;
  case Kind::global:
    at.window = Window::global;
    return;
  default:
    errors_.invalid(fmt::format("no unit defines the variable '{}'", o.symbol));
  }
}

MemoryPlace Addressing::place_of(Operand const& o, Space space) {
  MemoryPlace at;
  at.imm = static_cast<std::uint64_t>(o.offset);
  at.window = window_of(space);
  if (o.kind != Operand::Kind::address || !o.elements.empty()) {
    errors_.invalid("the operand is not an address");
  } else if (o.reg_base) {
    at.base = registers_.declared(o.reg);
    std::uint32_t const width = registers_.width(at.base);
    if (width != 4 && width != 8) errors_.invalid("the address is in a register of neither 32 nor 64 bits");
  } else if (!o.symbol.empty()) {
    find_symbol(o, at);
  }
  return at;
}

void Addressing::put(Op& op, MemoryPlace const& at) {
  op.window = at.window;
  op.imm = at.kernel_parameter ? param_window + at.imm : at.imm;
  op.a = at.base;
  op.has_base = at.base != 0;
  op.narrow_base = at.base != 0 && registers_.width(at.base) == 4;
  if (!at.is_local()) op.index = kernel_.memory_ops++;
}

} // namespace pegasus::software
