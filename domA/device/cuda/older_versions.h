// SPDX-License-Identifier: Apache-2.0
// cuda.h maps a name to the newest version of a function. Drivers for CUDA 12 lack some of these; of those the
// version that each driver has.
#pragma once

#include <cuda.h>

#undef cuCtxCreate
#undef cuEventElapsedTime
#define cuCtxCreate cuCtxCreate_v2

extern "C" {
CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device);
CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to);
}
