// SPDX-License-Identifier: Apache-2.0
// Matrices that a warp holds together: wmma, mma, ldmatrix, movmatrix, PTX ISA 9.7.14.4 and 9.7.14.5.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

namespace pegasus::software {

void lower_ldmatrix(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_mma(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_movmatrix(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_wmma(Lowering&, ptx::Instruction const&, Modifiers const&);

} // namespace pegasus::software
