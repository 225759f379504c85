// SPDX-License-Identifier: Apache-2.0
// Textures: PTX ISA 9.7.10. Only by handle: the unified mode without .texref.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

namespace pegasus::software {

void lower_tex(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_tld4(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_txq(Lowering&, ptx::Instruction const&, Modifiers const&);

} // namespace pegasus::software
