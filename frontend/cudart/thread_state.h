// SPDX-License-Identifier: Apache-2.0
// The runtime API's state per host thread.
#pragma once

#include "frontend/cudart/api.h"

namespace pegasus::cudart {

struct ThreadState {
  int device = -1; // set by cudaSetDevice; -1: not chosen yet
  cudaError_t last_error = cudaSuccess;
  unsigned error_generation = 0; // the number of device resets at that time
  // The primary context that this thread made current, and the number of device resets at that time.
  CUcontext primary = nullptr;
  unsigned generation = 0;
};

extern constinit thread_local ThreadState thread_state;

} // namespace pegasus::cudart
