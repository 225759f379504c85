// SPDX-License-Identifier: Apache-2.0
// The address operand of a load, a store or an atomic: its window of the address space, and the part that is
// known before the kernel runs.
#pragma once

#include "domA/device/software/exec/compile/diagnostics.h"
#include "domA/device/software/exec/compile/layout.h"
#include "domA/device/software/exec/compile/virtual_registers.h"
#include "domA/device/software/exec/op.h"

#include <cstdint>

namespace pegasus::software {

struct MemoryPlace {
  Window window = Window::generic;
  std::uint32_t base = 0; // register or 0
  std::uint64_t imm = 0;
  bool kernel_parameter = false; // imm is an offset in the parameters
  [[nodiscard]] bool is_local() const { return window == Window::local || window == Window::frame; }
};

class Addressing {
public:
  // All of them must outlive this object. Ops that remember an allocation are numbered across
  // the whole kernel.
  Addressing(ptx::Function const& function, Kernel& kernel, Layout const& layout,
             VirtualRegisters const& registers, Diagnostics& errors)
      : function_(function), kernel_(kernel), layout_(layout), registers_(registers), errors_(errors) {}

  // `space` is that of the instruction; none: a generic address.
  [[nodiscard]] MemoryPlace place_of(ptx::Operand const&, ptx::Space);
  void put(Op&, MemoryPlace const&);

private:
  [[nodiscard]] Window window_of(ptx::Space) const;
  void find_symbol(ptx::Operand const&, MemoryPlace&);

  ptx::Function const& function_;
  Kernel& kernel_;
  Layout const& layout_;
  VirtualRegisters const& registers_;
  Diagnostics& errors_;
};

} // namespace pegasus::software
