// SPDX-License-Identifier: Apache-2.0
// The common state of the functions of one kernel while they are lowered.
#pragma once

#include "domA/device/software/exec/compile/effort.h"
#include "domA/device/software/exec/compile/reach.h"
#include "domA/device/software/exec/handler_table.h"
#include "domA/device/software/exec/kernel.h"

#include <unordered_map>

namespace pegasus::software {

struct KernelBuild {
  Linked const& linked;
  Reach const& reach;
  Kernel& kernel;
  Isa isa;
  std::unordered_map<ptx::Function const*, FunctionCode*> code; // of every reachable function
  Effort effort{};
};

} // namespace pegasus::software
