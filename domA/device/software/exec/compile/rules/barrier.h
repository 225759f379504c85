// SPDX-License-Identifier: Apache-2.0
// bar and barrier: PTX ISA 9.7.13.1, 9.7.13.2.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

namespace pegasus::software {

void lower_barrier(Lowering&, ptx::Instruction const&, Modifiers const&);

} // namespace pegasus::software
