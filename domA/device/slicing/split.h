// SPDX-License-Identifier: Apache-2.0
// Splits PTX text into its statements outside of functions (PTX ISA 9.0, chapter 11), each with its part of
// the text. The contents of functions are not read.
#pragma once

#include "domA/device/ptx/lexer.h"

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::slicing {

struct Statement {
  enum class Kind : std::uint8_t {
    other,    // debug data: not needed
    header,   // .version, .address_size, .pragma
    target,   // `names` are the words behind .target
    variable, // one or several variables
    function,
    entry,
    alias, // `names`: the new name and the old name
  };
  Kind kind = Kind::other;
  bool defined = false; // function, entry: has a body
  std::string_view text;
  std::vector<std::string_view> names;
  std::string_view cluster; // an entry's directive about clusters, if it has one
};

[[nodiscard]] tl::expected<std::vector<Statement>, std::string> split(std::string_view text);

// The position of a token in the text. The token must not be `bad`, nor the end after an error.
[[nodiscard]] char const* begin_of(ptx::Token const&);
[[nodiscard]] char const* end_of(ptx::Token const&);

} // namespace pegasus::slicing
