// SPDX-License-Identifier: Apache-2.0
// What lanes of a warp and threads of a block do together.
#pragma once

#include "tests/fuzz/ptx_writer.h"

namespace pegasus::fuzz {

// `together`: outside all branches, where whole warps mostly are.
void write_warp_operation(PtxWriter&, bool together);
void write_barrier(PtxWriter&);

} // namespace pegasus::fuzz
