// SPDX-License-Identifier: Apache-2.0
// setp and set, PTX ISA 9.7.6: a comparison, then the boolean combination with a predicate, then the
// conversion of the result.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

namespace pegasus::software {

void lower_set(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_setp(Lowering&, ptx::Instruction const&, Modifiers const&);

} // namespace pegasus::software
