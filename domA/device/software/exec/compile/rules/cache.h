// SPDX-License-Identifier: Apache-2.0
// Cache policies and operations on lines of the L2 cache, of which there is none: PTX ISA 9.7.9.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"
#include "domA/device/software/exec/compile/modifiers.h"

namespace pegasus::software {

void lower_createpolicy(Lowering&, ptx::Instruction const&, Modifiers const&);
void lower_cache_line(Lowering&, ptx::Instruction const&, Modifiers const&); // discard, applypriority
// The policy operand of .L2::cache_hint, number k and the last: checked and without effect.
void lower_policy(Lowering&, ptx::Instruction const&, std::size_t k);

} // namespace pegasus::software
