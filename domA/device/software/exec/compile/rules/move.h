// SPDX-License-Identifier: Apache-2.0
// mov, which also packs and unpacks: PTX ISA 9.7.9.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

namespace pegasus::software {

void lower_mov(Lowering&, ptx::Instruction const&, Modifiers const&);

} // namespace pegasus::software
