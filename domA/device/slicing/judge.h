// SPDX-License-Identifier: Apache-2.0
// Whether a kernel can be sliced, from its syntax tree; slice.h lists what is refused and why.
#pragma once

#include "domA/device/ptx/module.h"

#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace pegasus::slicing {

using Variables = std::map<std::string_view, ptx::Variable const*>;

// The module's .global variables that the code uses. `module`: the kernel and what it reaches, nothing else.
[[nodiscard]] tl::expected<Variables, std::string> judge(ptx::Module const& module, std::string_view kernel);

// Where a Piece stands behind the kernel's own parameters.
[[nodiscard]] tl::expected<std::uint32_t, std::string> piece_offset(ptx::Module const&,
                                                                    ptx::Function const& kernel);

// A string that the compiler made, with no name that a program could write it by.
[[nodiscard]] bool compilers_string(ptx::Variable const&);

} // namespace pegasus::slicing
