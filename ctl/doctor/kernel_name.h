// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pegasus::ctl::doctor {

// A kernel's name as C++ spells it; cut where it is long.
[[nodiscard]] std::string readable_kernel(std::string const& name);

} // namespace pegasus::ctl::doctor
