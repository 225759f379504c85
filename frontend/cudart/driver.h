// SPDX-License-Identifier: Apache-2.0
// The driver API as a table of typed pointers, filled at the first use from libcuda.so.1. It holds the
// functions that the sources of this folder name (frontend/exports/driver_calls.py). The names are those of
// the exported symbols: cuda.h maps cuMemAlloc to cuMemAlloc_v2 and so on.
#pragma once

#include "frontend/cudart/api.h"
#include "frontend/cudart/driver_calls.inc"

namespace pegasus::cudart {

struct Driver {
#define PEGASUS_DRIVER_MEMBER(name) decltype(&::name) name = nullptr;
  PEGASUS_DRIVER_CALLS(PEGASUS_DRIVER_MEMBER)
#undef PEGASUS_DRIVER_MEMBER
};

// Returns nullptr if there is no libcuda.so.1; the first such call prints that on stderr. Any
// thread may call.
[[nodiscard]] Driver const* driver();

} // namespace pegasus::cudart
