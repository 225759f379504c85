// SPDX-License-Identifier: Apache-2.0
// The variants of functions for the per-thread default stream. The build writes one line for each of them
// that the sources do not define (frontend/exports/per_thread.py).
#pragma once

#include "frontend/cuda/stream.h"

using pegasus::driver::per_thread;

#define PEGASUS_PER_THREAD(variant, function, parameters, arguments)                                         \
  CUresult variant parameters { return function arguments; }
