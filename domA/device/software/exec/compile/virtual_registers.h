// SPDX-License-Identifier: Apache-2.0
// The virtual registers of a function: those that its PTX declares, in order and from number 1, then
// temporaries and constants on request. Number 0 means none.
#pragma once

#include "domA/device/software/exec/compile/draft.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace pegasus::software {

class VirtualRegisters {
public:
  // `into` belongs to the draft and already contains number 0; it must outlive this object.
  explicit VirtualRegisters(std::vector<VirtualRegister>& into) : registers_(into) {}

  void declare(std::uint32_t bytes); // the next register that PTX declares; call it before all others
  std::uint32_t fresh(std::uint32_t bytes);
  std::uint32_t constant(std::uint32_t bytes, std::uint64_t bits); // the same register for the same value
  void pin(std::uint32_t r) { registers_[r].pinned = true; }

  // The number of a declared register, by its index in ptx::Function::registers, or of a register operand. 0
  // if there is none.
  [[nodiscard]] std::uint32_t declared(std::uint32_t index) const {
    return index < declared_ ? index + 1 : 0;
  }
  [[nodiscard]] std::uint32_t declared(ptx::Operand const& o) const {
    return o.kind == ptx::Operand::Kind::reg ? declared(o.reg) : 0;
  }
  [[nodiscard]] std::uint32_t width(std::uint32_t r) const { return registers_[r].bytes; }
  // The newest register and not a constant: only the last op can use it.
  [[nodiscard]] bool is_newest_temporary(std::uint32_t r) const {
    return r != 0 && r == registers_.size() - 1 && !registers_[r].constant;
  }

private:
  std::vector<VirtualRegister>& registers_;
  std::uint32_t declared_ = 0;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> constants_; // by width and value
};

} // namespace pegasus::software
