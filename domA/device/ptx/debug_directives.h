// SPDX-License-Identifier: Apache-2.0
// Directives without an effect on execution: .loc .file .section .pragma and old DWARF lines. PTX ISA
// 9.0, section 11.5.
#pragma once

#include "domA/device/ptx/reader.h"

#include <string_view>

namespace pegasus::ptx {

[[nodiscard]] bool debug_directive(std::string_view name); // name without the dot
// The current token is the directive.
[[nodiscard]] bool skip_debug_directive(Reader&);

} // namespace pegasus::ptx
