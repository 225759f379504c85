// SPDX-License-Identifier: Apache-2.0
// Exchanges of values between the lanes of a warp: PTX ISA 9.7.9.6, 9.7.13.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

namespace pegasus::software {

void lower_activemask(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_match(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_redux(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_shfl(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_vote(Lowering&, ptx::Instruction const&, Modifiers const&);

} // namespace pegasus::software
