// SPDX-License-Identifier: Apache-2.0
// cuda.h as the driver library itself needs it: every version of every function under its own symbol name,
// without renaming to the newest or to the per-thread variant (__CUDA_API_VERSION_INTERNAL does this), and
// exported. Programs can call exactly the functions declared here.
#pragma once

#define __CUDA_API_VERSION_INTERNAL
#pragma GCC visibility push(default)
#include <cuda.h>
#include <cudaProfiler.h>
#pragma GCC visibility pop
