// SPDX-License-Identifier: Apache-2.0
// call, PTX ISA 9.7.12.5, and the functions that the driver provides.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

namespace pegasus::software {

void lower_call(Lowering&, ptx::Instruction const&, Modifiers const&);

} // namespace pegasus::software
