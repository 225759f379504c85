// SPDX-License-Identifier: Apache-2.0
// The files that a GPU's driver needs.
#pragma once

#include "domA/worker/jail.h"
#include "domA/worker/start.h"

namespace pegasus::worker {

// The GPU's own device nodes and those that all GPUs share (gpu_nodes.h), libraries, the kernel's information
// about the hardware, and the files that the operator added.
[[nodiscard]] Files gpu_files(DeviceChoice const& device);

// Landlock: from now on this thread, and the threads that it starts, can open only these files. Returns false
// if this kernel does not support it.
[[nodiscard]] bool only_files(Files const& files);

} // namespace pegasus::worker
