// SPDX-License-Identifier: Apache-2.0
// Any bytes as PTX text. The result is an error, or a module with all indices in range.
#include "domA/device/ptx/parser.h"

#include "tests/fuzz/require.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

using namespace pegasus::ptx;

using pegasus::fuzz::require;

void check(Operand const& operand, Function const& function) {
  if (operand.kind == Operand::Kind::reg || operand.reg_base)
    require(operand.reg < function.registers.size());
  if (operand.kind == Operand::Kind::label) require(operand.target <= function.instructions.size());
  for (Operand const& element : operand.elements)
    check(element, function);
}

void check(Function const& function) {
  for (Instruction const& instruction : function.instructions) {
    require(instruction.guard == Instruction::no_guard || instruction.guard < function.registers.size());
    require(!instruction.second_destination || instruction.operands.size() >= 2);
    require(instruction.mnemonic != "call" || instruction.operands.size() >= 3);
    for (Operand const& operand : instruction.operands)
      check(operand, function);
  }
  for (LabelList const& list : function.label_lists)
    for (std::uint32_t const target : list.targets)
      require(target <= function.instructions.size());
}

void check(Variable const& variable) {
  require(variable.initial.empty() || variable.initial.size() == variable.bytes);
  require(variable.align != 0 && (variable.align & (variable.align - 1)) == 0);
  for (Relocation const& relocation : variable.relocations)
    require(relocation.offset + relocation.bytes <= variable.initial.size());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const module = parse(std::string(reinterpret_cast<char const*>(data), size));
  if (!module) {
    require(!module.error().message.empty());
    return 0;
  }
  for (Variable const& variable : module->variables)
    check(variable);
  for (Function const& function : module->functions) {
    check(function);
    for (Variable const& variable : function.variables)
      check(variable);
  }
  return 0;
}
