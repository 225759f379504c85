// SPDX-License-Identifier: Apache-2.0
// Converts a number in the PTX text to the bits of a value of the instruction's type.
#pragma once

#include "domA/device/ptx/module.h"

#include <cstdint>

namespace pegasus::software {

// The operand is an integer or a real.
[[nodiscard]] std::uint64_t immediate(ptx::Operand const&, ptx::Type);

} // namespace pegasus::software
