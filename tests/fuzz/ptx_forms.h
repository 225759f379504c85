// SPDX-License-Identifier: Apache-2.0
// Instructions whose operands are registers or immediates, as a table: what PTX generators choose from.
#pragma once

#include <span>
#include <string_view>

namespace pegasus::fuzz {

// One instruction is a name, a dot and a type. Operands, the destination first: t the type's register, w one
// twice as wide, h, r and d of 16, 32 and 64 bits, p a predicate, i a small immediate,
// | two predicates.
struct Form {
  std::string_view names; // separated by blanks
  std::string_view types; // the part behind the last dot says the width
  std::string_view operands;
};

[[nodiscard]] std::span<Form const> forms();
// 0 (a predicate), 16, 32 or 64; bits of a register that holds the type, the last part of "sat.f32".
[[nodiscard]] unsigned register_bits(std::string_view type);
// The one of the words of a list that `choice` names, modulo their number.
[[nodiscard]] std::string_view word_of(std::string_view list, unsigned choice);

} // namespace pegasus::fuzz
