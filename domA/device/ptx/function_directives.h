// SPDX-License-Identifier: Apache-2.0
// The directives between a function's parameters and its body: .maxntid 256, 1, 1 .minnctapersm 2 .noreturn
// ... PTX ISA 9.0, section 11.4.
#pragma once

#include "domA/device/ptx/module.h"
#include "domA/device/ptx/reader.h"

namespace pegasus::ptx {

[[nodiscard]] bool parse_function_directives(Reader&, Function&);

} // namespace pegasus::ptx
