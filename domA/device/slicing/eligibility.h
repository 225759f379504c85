// SPDX-License-Identifier: Apache-2.0
// Decides from its syntax tree whether a kernel can be sliced; slice.h lists what is refused and why.
#pragma once

#include "domA/device/ptx/module.h"

#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace pegasus::slicing {

using Variables = std::map<std::string_view, ptx::Variable const*>;

// Returns the module's .global variables that the code uses. `module` contains only the kernel and
// what it reaches.
[[nodiscard]] tl::expected<Variables, std::string> check_eligibility(ptx::Module const& module,
                                                                     std::string_view kernel);

// The offset of the Piece behind the kernel's own parameters.
[[nodiscard]] tl::expected<std::uint32_t, std::string> piece_offset(ptx::Module const&,
                                                                    ptx::Function const& kernel);

// A string that the compiler made; a program has no name for it.
[[nodiscard]] bool compilers_string(ptx::Variable const&);

} // namespace pegasus::slicing
