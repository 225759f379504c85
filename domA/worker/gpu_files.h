// SPDX-License-Identifier: Apache-2.0
// The files that a GPU's driver needs, and no others.
#pragma once

#include "domA/worker/jail.h"
#include "domA/worker/start.h"

namespace pegasus::worker {

// The GPU's own device nodes and those that all GPUs share (gpu_nodes.h), libraries, what the kernel says
// about the hardware, and what the operator added.
[[nodiscard]] Files gpu_files(DeviceChoice const& device);

// Landlock: from now on this thread, and those that it starts, open these files only. false: this kernel
// cannot; then no file can be opened once the sandbox is entered.
[[nodiscard]] bool only_files(Files const& files);

} // namespace pegasus::worker
