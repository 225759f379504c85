// SPDX-License-Identifier: Apache-2.0
// Declarations of variables and parameters. PTX ISA 9.0, sections 5.1 to 5.4 and 7.1.
#pragma once

#include "domA/device/ptx/module.h"
#include "domA/device/ptx/reader.h"

#include <cstdint>
#include <vector>

namespace pegasus::ptx {

// The directives before the names: .global .align 8 .v4 .f32 ...
struct Declaration {
  Space space = Space::none;
  Type type = Type::none;
  std::uint32_t vector = 1;
  std::uint32_t align = 0; // 0: natural
  bool managed = false;
  bool opaque = false;
  std::uint32_t line = 0;
};
[[nodiscard]] bool parse_declaration(Reader&, Declaration&);

// A name with its array dimensions; .v2 and .v4 count as the last dimension. Only the first dimension may be
// 0: unknown size.
[[nodiscard]] bool parse_variable(Reader&, Declaration const&, Variable&,
                                  std::vector<std::uint64_t>& dimensions);

// Parses what follows `=`. Fills initial and relocations, and `bytes` for an array of unknown
// size. Section 5.4.4.
[[nodiscard]] bool parse_initializer(Reader&, Variable&, std::vector<std::uint64_t> const& dimensions);

// (.param .b32 a, .reg .u32 b, ...) with or without names; `(` is the current token.
[[nodiscard]] bool parse_parameters(Reader&, std::vector<Variable>&);

} // namespace pegasus::ptx
