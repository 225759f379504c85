// SPDX-License-Identifier: Apache-2.0
// ld and st: PTX ISA 9.7.9.8, 9.7.9.12.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

namespace pegasus::software {

void lower_ld(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_st(Lowering&, ptx::Instruction const&, Modifiers const&);

} // namespace pegasus::software
