// SPDX-License-Identifier: Apache-2.0
// Conversions of values and addresses: PTX ISA 9.7.9.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

namespace pegasus::software {

void lower_cvt(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_cvta(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_isspacep(Lowering&, ptx::Instruction const&, Modifiers const&);

} // namespace pegasus::software
