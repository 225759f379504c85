// SPDX-License-Identifier: Apache-2.0
// The state that rules work with while one function is lowered: its parts have their own headers. The draft,
// the build and the symbol must outlive it.
#pragma once

#include "domA/device/software/exec/compile/addressing.h"
#include "domA/device/software/exec/compile/emitter.h"
#include "domA/device/software/exec/compile/layout.h"
#include "domA/device/software/exec/compile/operands.h"
#include "domA/device/software/exec/compile/virtual_registers.h"

#include <cstdint>
#include <fmt/format.h>

namespace pegasus::software {

struct Lowering {
  Lowering(KernelBuild& with, Symbol const& symbol, DraftFunction& draft)
      : build(with), function(*symbol.function), target(with.linked.unit(symbol.unit).target),
        errors(function), registers(draft.registers), code(draft, with.isa, errors), layout(with, symbol),
        operands(registers, code, layout, errors),
        addressing(function, with.kernel, layout, registers, errors) {}
  Lowering(Lowering const&) = delete; // the parts refer to each other
  Lowering& operator=(Lowering const&) = delete;

  // Whether an instruction that came with sm_`needed` is in a unit for it; sets the error if not.
  [[nodiscard]] bool has(std::uint32_t needed, ptx::Instruction const& i) {
    if (target >= needed) return true;
    errors.unsupported(i, fmt::format("it needs .target sm_{} or higher", needed));
    return false;
  }

  KernelBuild& build;
  ptx::Function const& function;
  std::uint32_t target; // of the unit: 75 for sm_75
  Diagnostics errors;
  VirtualRegisters registers;
  Emitter code;
  Layout layout;
  Operands operands;
  Addressing addressing;
};

} // namespace pegasus::software
