// SPDX-License-Identifier: Apache-2.0
// A function's text with the module's variables replaced by addresses, and, a kernel's, with a Piece: token
// by token, copying what is between. The function's judge has passed it.
//
// A kernel reads its Piece once, where it begins; each place that read %ctaid.x reads a register instead. So
// does each [variable + 8]: an address in brackets must be a register. mov takes the address as a number,
// variable + 8 included.
#pragma once

#include "domA/device/slicing/split.h"

#include <cstdint>
#include <map>

namespace pegasus::slicing {

using Addresses = std::map<std::string_view, std::uint64_t>;

// `kernel`: it gets a Piece, whether this is its definition or a declaration.
[[nodiscard]] tl::expected<std::string, std::string> rewrite(Statement const& function, bool kernel,
                                                             Addresses const&);

} // namespace pegasus::slicing
