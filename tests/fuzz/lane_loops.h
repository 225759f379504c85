// SPDX-License-Identifier: Apache-2.0
// The lane loops of a kernel that has been compiled.
#pragma once

#include "domA/device/software/exec/handler_table.h"
#include "domA/device/software/exec/kernel.h"

namespace pegasus::fuzz {

// Replaces the lane loops of the baseline by those of another instruction set, as if the kernel had been compiled for
// it: compiling takes most of a fuzzer's time. Ends the program if a loop has no counterpart.
void use_lane_loops(software::Kernel& of_baseline, software::Isa isa);

} // namespace pegasus::fuzz
