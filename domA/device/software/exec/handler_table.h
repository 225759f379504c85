// SPDX-License-Identifier: Apache-2.0
// Finds handlers by name ("fma.ftz.f32"). The lane loops are compiled once per instruction set of the host;
// the set is chosen at run time.
#pragma once

#include "domA/device/software/exec/op.h"

#include <string_view>

namespace pegasus::software {

enum class Isa { best, avx512, avx2, baseline };

// Returns nullptr if there is no such handler. If this machine lacks the instruction set, the next lower
// one is used.
[[nodiscard]] Handler find_handler(std::string_view key, Isa isa = Isa::best);

} // namespace pegasus::software
