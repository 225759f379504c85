// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's driver takes from the machine that it runs on and fails without: it starts threads, also for each
// new context, and names them through /proc; each new context opens a device node and makes a file in memory.
#pragma once

#include <cuda.h>

namespace pegasus::wrapped {

// For cuInit: the thread that waits for the device's events. CUDA_ERROR_OPERATING_SYSTEM if it is not to be had.
[[nodiscard]] CUresult start_event_thread();
// The same for a new context, until end_context().
[[nodiscard]] CUresult start_context(CUcontext context);
void end_context(CUcontext context);

} // namespace pegasus::wrapped
