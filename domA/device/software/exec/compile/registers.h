// SPDX-License-Identifier: Apache-2.0
// Assigns virtual registers to places in the frame: live ranges (per thread, over the control flow graph),
// then a linear scan. PTX is nearly in static single assignment form; without this a large kernel's frame
// would not fit in any cache.
//
// Lanes diverge, but sharing a place is still safe: a write touches only the active lanes, and each lane by
// itself follows one path of the graph for which the live ranges were computed.
#pragma once

#include "domA/device/software/exec/compile/draft.h"
#include "domA/device/software/exec/compile/failure.h"

namespace pegasus::software {

// Finishes `code`: operands become offsets, branch targets become pointers. Fails if the frame would
// be too large.
[[nodiscard]] std::optional<BuildError> finish(DraftFunction&, FunctionCode& code);

} // namespace pegasus::software
