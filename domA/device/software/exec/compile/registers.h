// SPDX-License-Identifier: Apache-2.0
// From virtual registers to places in the frame: live ranges (per thread, over the control flow graph), then
// a linear scan. PTX is nearly in static single assignment form; without this a large kernel's frame would
// not fit any cache.
//
// Lanes diverge, but sharing a place is safe all the same: a write touches the active lanes only, and each
// lane by itself follows one path of the graph that the live ranges were made for.
#pragma once

#include "domA/device/software/exec/compile/draft.h"
#include "domA/device/software/exec/compile/failure.h"

namespace pegasus::software {

// Finishes `code`: operands become offsets, branch targets pointers. Error: the frame would be too large.
[[nodiscard]] std::optional<BuildError> finish(DraftFunction&, FunctionCode& code);

} // namespace pegasus::software
