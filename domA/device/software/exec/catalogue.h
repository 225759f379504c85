// SPDX-License-Identifier: Apache-2.0
// Handlers by name ("fma.ftz.f32"). The lane loops are compiled once per instruction set of the host; which
// set is used is decided at run time.
#pragma once

#include "domA/device/software/exec/op.h"

#include <string_view>

namespace pegasus::software {

enum class Isa { best, avx512, avx2, baseline };

// Null when there is no such handler. An instruction set that this machine lacks falls back to the next lower
// one.
[[nodiscard]] Handler find_handler(std::string_view key, Isa isa = Isa::best);

} // namespace pegasus::software
