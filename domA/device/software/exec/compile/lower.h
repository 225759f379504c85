// SPDX-License-Identifier: Apache-2.0
// One function from PTX to a draft of warp-wide code. rules/ has what becomes of each instruction.
#pragma once

#include "domA/device/software/exec/compile/draft.h"
#include "domA/device/software/exec/compile/kernel_build.h"

#include <optional>

namespace pegasus::software {

// `draft` is empty before. The error names the PTX line.
[[nodiscard]] std::optional<BuildError> lower(KernelBuild&, Symbol const& function, DraftFunction& draft);

} // namespace pegasus::software
