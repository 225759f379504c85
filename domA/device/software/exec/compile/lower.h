// SPDX-License-Identifier: Apache-2.0
// Lowers one function from PTX to a draft of warp-wide code. rules/ has the code for each instruction.
#pragma once

#include "domA/device/software/exec/compile/draft.h"
#include "domA/device/software/exec/compile/kernel_build.h"

#include <optional>

namespace pegasus::software {

// `draft` must be empty. The error names the PTX line.
[[nodiscard]] std::optional<BuildError> lower(KernelBuild&, Symbol const& function, DraftFunction& draft);

} // namespace pegasus::software
