// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's driver takes from the machine that it runs on and fails without: it starts threads, also for each
// new context, and names them through /proc; each new context opens a device node and makes a file in memory.
// What it compiles with is a library of its own, which it loads by name when it first compiles.
#pragma once

#include <cuda.h>

namespace pegasus::wrapped {

// For cuInit: the thread that waits for the device's events. CUDA_ERROR_OPERATING_SYSTEM if it is not to be had.
[[nodiscard]] CUresult start_event_thread();
// The same for a new context, until end_context().
[[nodiscard]] CUresult start_context(CUcontext context);
void end_context(CUcontext context);
// For what loads images: CUDA_ERROR_JIT_COMPILER_NOT_FOUND if the loader does not find the compiler's library.
[[nodiscard]] CUresult find_compiler();

} // namespace pegasus::wrapped
