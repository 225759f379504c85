// SPDX-License-Identifier: Apache-2.0
// How the files of this folder define functions as earlier releases have them. PEGASUS_CUDART_RELEASE is 12 or 11.
#pragma once

#include "frontend/cudart/api.h"

#include <cstring>

// Begins a definition: PEGASUS_EARLIER(cudaX, parameters) { ... }. In the code cudaX means CUDA 13's (names.h).
#define PEGASUS_EARLIER(name, ...)                                                                           \
  PEGASUS_API cudaError_t earlier_##name(__VA_ARGS__) __asm__(#name);                                        \
  PEGASUS_API cudaError_t earlier_##name(__VA_ARGS__)
