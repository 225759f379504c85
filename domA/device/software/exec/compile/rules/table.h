// SPDX-License-Identifier: Apache-2.0
// Which instructions are known, by mnemonic, and what each becomes: a function of one of the files beside
// this one. A rule adds ops to Lowering::code; an instruction that it cannot lower sets Lowering::errors.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

#include <string_view>

namespace pegasus::software {

class Rule {
public:
  using Function = void (*)(Lowering&, ptx::Instruction const&, Modifiers const&);

  constexpr Rule(std::string_view name, Function function) : mnemonic(name), function_(function) {}
  // Its operands follow from its type: see rules/shaped.h.
  constexpr Rule(std::string_view name, std::string_view shape) : mnemonic(name), shape_(shape) {}

  void lower(Lowering&, ptx::Instruction const&) const;

  std::string_view mnemonic;

private:
  Function function_ = nullptr;
  std::string_view shape_;
};

[[nodiscard]] Rule const* rule_for(std::string_view mnemonic); // nullptr: it is not known

} // namespace pegasus::software
