// SPDX-License-Identifier: Apache-2.0
// Instructions whose operands all follow from their type. A row in the table of rules has their shape, as
// "destination:sources": t the type (the destination and third source of .wide are twice as wide), 4 a 32-bit
// register, p a predicate. The operation is found by name.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

#include <string_view>

namespace pegasus::software {

void lower_shaped(Lowering&, ptx::Instruction const&, Modifiers const&, std::string_view shape);

} // namespace pegasus::software
