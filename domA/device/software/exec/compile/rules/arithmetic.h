// SPDX-License-Identifier: Apache-2.0
// Arithmetic and logic whose operands are not determined by the type alone: PTX ISA 9.7.1, 9.7.6, 9.7.8.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

namespace pegasus::software {

void lower_by_key(Lowering&, ptx::Instruction const&, Modifiers const&); // dp4a, dp2a, vabsdiff
void lower_lop3(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_slct(Lowering&, ptx::Instruction const&, Modifiers const&);

} // namespace pegasus::software
