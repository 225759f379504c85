// SPDX-License-Identifier: Apache-2.0
// The statements of a module that a kernel needs: its own, and those of every function and variable named in
// its text or in the text of a function found this way. Initial values are not followed: the sliced kernel
// uses the variables of the module as loaded, not copies.
#pragma once

#include "domA/device/slicing/split.h"

#include <cstddef>

namespace pegasus::slicing {

// One entry for each statement. Fails if the text has no such kernel, or if its code names another kernel.
[[nodiscard]] tl::expected<std::vector<bool>, std::string> reach(std::vector<Statement> const&,
                                                                 std::string_view kernel);

} // namespace pegasus::slicing
