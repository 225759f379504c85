// SPDX-License-Identifier: Apache-2.0
// Rewrites a function's text: replaces the module's variables by addresses and, for a kernel, adds a Piece.
// It works token by token and copies the text in between. check_eligibility() has accepted the function.
//
// A kernel reads its Piece once, at its beginning; each use of %ctaid.x reads a register instead. So does
// each [variable + 8], because an address in brackets must be a register. mov takes the address as a number,
// including variable + 8.
#pragma once

#include "domA/device/slicing/split.h"

#include <cstdint>
#include <map>

namespace pegasus::slicing {

using Addresses = std::map<std::string_view, std::uint64_t>;

// `kernel`: the function is the kernel and gets a Piece, both in its definition and in a declaration.
[[nodiscard]] tl::expected<std::string, std::string> rewrite(Statement const& function, bool kernel,
                                                             Addresses const&);

} // namespace pegasus::slicing
