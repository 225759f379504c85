// SPDX-License-Identifier: Apache-2.0
// A table of instructions with register and immediate operands, from which PTX generators choose.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pegasus::fuzz {

// One instruction is a name, a dot and a type. Operands, the destination first: t the type's register, w one
// twice as wide, h, r and d of 16, 32 and 64 bits, p a predicate, i a small immediate, | two predicates, a digit a vector
// of so many registers of 32 bits, A and B one of one and of two registers of 64 bits.
struct Form {
  std::string_view names; // separated by blanks
  std::string_view types; // the part after the last dot gives the width
  std::string_view operands;
};

[[nodiscard]] std::span<Form const> forms();
// Of matrices in the registers of a whole warp. The type is not that of the registers.
[[nodiscard]] std::span<Form const> matrix_forms();
// The vector for a digit.
[[nodiscard]] std::string register_vector(char digit, unsigned first, unsigned registers);
// The bits of a register for a type: 16, 32 or 64, 0 for a predicate. Only the last part of "sat.f32" counts.
[[nodiscard]] unsigned register_bits(std::string_view type);
// The word of the list with index `choice`, modulo their number.
[[nodiscard]] std::string_view word_of(std::string_view list, unsigned choice);

} // namespace pegasus::fuzz
