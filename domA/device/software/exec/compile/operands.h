// SPDX-License-Identifier: Apache-2.0
// An instruction's operands as virtual registers: declared ones, and temporaries for an immediate, a special
// register or an address. Owns nothing. If an operand does not fit, the error is set and the register is 0.
#pragma once

#include "domA/device/software/exec/compile/emitter.h"
#include "domA/device/software/exec/compile/layout.h"
#include "domA/device/software/exec/compile/virtual_registers.h"

#include <cstddef>
#include <cstdint>

namespace pegasus::software {

class Operands {
public:
  using Operand = ptx::Operand;
  using Type = ptx::Type;

  // All of them must outlive this object.
  Operands(VirtualRegisters& registers, Emitter& code, Layout const& layout, Diagnostics& errors)
      : registers_(registers), code_(code), layout_(layout), errors_(errors) {}

  // operands[k]; an error if there are fewer.
  [[nodiscard]] Operand const& at(ptx::Instruction const&, std::size_t k);

  std::uint32_t source(Operand const&, Type); // a register of exactly the type's width
  std::uint32_t source(ptx::Instruction const& i, std::size_t k, Type type) { return source(at(i, k), type); }
  std::uint32_t source_of_width(Operand const&, std::uint32_t bytes); // any type of that width
  std::uint32_t source_loose(Operand const&, Type);                   // a wider register is truncated

  std::uint32_t destination(Operand const&, Type);
  std::uint32_t destination(ptx::Instruction const& i, std::size_t k, Type type) {
    return destination(at(i, k), type);
  }
  std::uint32_t destination_of_width(Operand const&, std::uint32_t bytes);

  // A destination that may be wider than the type: compute into `natural`, then call widen().
  struct Loose {
    std::uint32_t natural, real;
  };
  Loose destination_loose(Operand const&, Type);
  void widen(Loose const&, Type);

private:
  std::uint32_t register_source(Operand const&, Type);
  std::uint32_t special(Operand const&, std::uint32_t bytes);
  std::uint32_t address_of(Operand const&, std::uint32_t bytes);

  VirtualRegisters& registers_;
  Emitter& code_;
  Layout const& layout_;
  Diagnostics& errors_;
};

} // namespace pegasus::software
