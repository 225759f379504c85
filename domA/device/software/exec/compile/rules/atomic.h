// SPDX-License-Identifier: Apache-2.0
// atom and red: PTX ISA 9.7.13.5, 9.7.13.6.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

namespace pegasus::software {

void lower_atom(Lowering&, ptx::Instruction const&, Modifiers const&);

} // namespace pegasus::software
