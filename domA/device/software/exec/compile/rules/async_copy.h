// SPDX-License-Identifier: Apache-2.0
// cp.async and its groups: PTX ISA 9.7.9.25. A copy is executed at once, so that nothing is left to wait for.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

namespace pegasus::software {

void lower_cp(Lowering&, ptx::Instruction const&, Modifiers const&);

} // namespace pegasus::software
