// SPDX-License-Identifier: Apache-2.0
// mbarrier, barriers as objects in shared memory: PTX ISA 9.7.13.15.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

namespace pegasus::software {

void lower_mbarrier(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_copies_arrive(Lowering&, ptx::Instruction const&, Modifiers const&); // cp.async.mbarrier.arrive

} // namespace pegasus::software
