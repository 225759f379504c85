// SPDX-License-Identifier: Apache-2.0
// Surfaces: PTX ISA 9.7.11. Only by handle.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

namespace pegasus::software {

void lower_suld(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_sust(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_suq(Lowering&, ptx::Instruction const&, Modifiers const&);

} // namespace pegasus::software
