// SPDX-License-Identifier: Apache-2.0
// One instruction: guard, mnemonic, modifiers, operands. PTX ISA 9.0, sections 4.3.2, 6 and 9.7; calls:
// sections 7.1 and 9.7.13.
#include "domA/device/ptx/body.h"

#include <fmt/core.h>
#include <iterator>

namespace pegasus::ptx {

bool Body::guard(Instruction& instruction) {
  instruction.guard_negated = in_.accept("!");
  std::string_view name;
  if (!in_.identifier(name, "a predicate")) return false;
  auto const found = scopes_.find(name);
  if (!found || found->out_of_range || found->binding.kind != Binding::Kind::reg)
    return in_.fail(fmt::format("the guard {} is not a declared register", quoted(name)));
  instruction.guard = found->binding.index;
  return true;
}

bool Body::instruction(Token mnemonic, Instruction&& read) {
  Instruction instruction = std::move(read);
  instruction.mnemonic = mnemonic.text;
  instruction.line = mnemonic.line;
  for (modifiers_.clear(); in_.is(Token::Kind::dotted); in_.advance())
    modifiers_.push_back(in_.token().text);
  instruction.modifiers.assign(modifiers_.begin(), modifiers_.end());

  operands_.clear();
  if (mnemonic.text == "call") {
    if (!call()) return false;
  } else if (!in_.is(";")) {
    bool const branch = mnemonic.text == "bra";
    do {
      if (!in_.spend(1) || !operand(operands_.emplace_back(), branch)) return false;
      if (operands_.size() == 1 && in_.accept("|")) {
        instruction.second_destination = true;
        if (!operand(operands_.emplace_back(), false)) return false;
      }
    } while (in_.accept(","));
  }
  if (mnemonic.text == "mov") // mov takes the address of a[2], other instructions its value
    for (Operand& operand : operands_)
      if (operand.kind == Operand::Kind::address && !operand.symbol.empty())
        operand.kind = Operand::Kind::symbol;
  if (!in_.spend(3 + modifiers_.size() / 4) || !in_.expect(";")) return false;
  instruction.operands.assign(std::make_move_iterator(operands_.begin()),
                              std::make_move_iterator(operands_.end()));
  function_.instructions.push_back(std::move(instruction));
  return true;
}

// Elements up to `closing`; the opening is the current token.
bool Body::operand_list(Operand& list, std::string_view closing) {
  list.kind = Operand::Kind::vector;
  in_.advance();
  while (!in_.is(closing)) {
    if (!list.elements.empty() && !in_.expect(",")) return false;
    if (!in_.spend(1) || !simple(list.elements.emplace_back())) return false;
  }
  return in_.expect(closing);
}

// call (returns), callee, (arguments), prototype; all except the callee may be missing.
bool Body::call() {
  operands_.resize(3);
  operands_[0].kind = operands_[2].kind = Operand::Kind::vector;
  if (in_.is("(") && (!operand_list(operands_[0], ")") || !in_.expect(","))) return false;
  if (!in_.is(Token::Kind::identifier)) return in_.unexpected("the function to call");
  if (!named(operands_[1])) return false;
  if (!in_.accept(",")) return true;
  if (in_.is("(") && (!operand_list(operands_[2], ")") || !in_.accept(","))) return !in_.failed();
  if (!in_.is(Token::Kind::identifier)) return in_.unexpected("a prototype or a list of targets");
  return named(operands_.emplace_back());
}

} // namespace pegasus::ptx
