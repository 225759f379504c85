// SPDX-License-Identifier: Apache-2.0
// Operations that the lanes of a warp, or the threads of a block, execute together.
#pragma once

#include "tests/fuzz/ptx_writer.h"

namespace pegasus::fuzz {

// `together`: outside all branches, where warps are mostly complete.
void write_warp_operation(PtxWriter&, bool together);
void write_barrier(PtxWriter&);

} // namespace pegasus::fuzz
