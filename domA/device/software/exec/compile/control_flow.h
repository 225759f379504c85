// SPDX-License-Identifier: Apache-2.0
// Instructions that end a path or a basic block: bra, brx.idx, ret, exit, and branches to these.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"

namespace pegasus::software {

// `i` is in block `b`; its kind is `flow`, which is not Flow::none.
void lower_flow(Lowering&, Cfg const&, std::uint32_t b, ptx::Instruction const& i, Flow flow);

} // namespace pegasus::software
