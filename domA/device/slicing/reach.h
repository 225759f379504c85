// SPDX-License-Identifier: Apache-2.0
// Which statements of a module a kernel needs: its own, and those of every function and variable that its
// text, or that of a function so found, mentions. Initial values are not followed: the variables of the
// module as loaded are used, not copies.
#pragma once

#include "domA/device/slicing/split.h"

#include <cstddef>

namespace pegasus::slicing {

// One a statement. The error: the text has no such kernel, or its code names another kernel.
[[nodiscard]] tl::expected<std::vector<bool>, std::string> reach(std::vector<Statement> const&,
                                                                 std::string_view kernel);

} // namespace pegasus::slicing
