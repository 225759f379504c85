// SPDX-License-Identifier: Apache-2.0
// What the runtime API keeps per host thread.
#pragma once

#include "frontend/cudart/api.h"

namespace pegasus::cudart {

struct ThreadState {
  int device = -1; // as chosen by cudaSetDevice; -1: not chosen yet
  cudaError_t last_error = cudaSuccess;
  // The primary context this thread made current, and the count of device resets it belongs to.
  CUcontext primary = nullptr;
  unsigned generation = 0;
};

extern constinit thread_local ThreadState thread_state;

} // namespace pegasus::cudart
