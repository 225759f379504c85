// SPDX-License-Identifier: Apache-2.0
// The supported instructions by mnemonic, and the rule for each: a function of one of the files in this
// folder. A rule adds ops to Lowering::code; if it cannot lower an instruction, it sets Lowering::errors.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

#include <cstdint>
#include <string_view>

namespace pegasus::software {

class Rule {
public:
  using Function = void (*)(Lowering&, ptx::Instruction const&, Modifiers const&);

  // `target`: the first whose units may have it, 80 for sm_80.
  constexpr Rule(std::string_view name, Function function, std::uint32_t target = 0)
      : mnemonic(name), function_(function), target_(target) {}
  // Its operands follow from its type: see rules/shaped.h.
  constexpr Rule(std::string_view name, std::string_view shape) : mnemonic(name), shape_(shape) {}

  void lower(Lowering&, ptx::Instruction const&) const;

  std::string_view mnemonic;

private:
  Function function_ = nullptr;
  std::string_view shape_;
  std::uint32_t target_ = 0;
};

[[nodiscard]] Rule const* rule_for(std::string_view mnemonic); // nullptr if it is unknown

} // namespace pegasus::software
