// SPDX-License-Identifier: Apache-2.0
// Every other function of the driver API: it reports once that it is not supported, and returns an error. The
// build finds these functions: those that the toolkit's library exports and these objects do not define
// (frontend/exports/refusals.py). Their arguments do not matter: the C calling conventions of the supported
// platforms let a function ignore its arguments. Files that include this must not see their prototypes. The names are in a
// section of their own: a reader of the library's file finds which functions refuse (`pegasus doctor`).
#pragma once

#include <atomic>
#include <cstdio>

namespace pegasus::driver {

inline int refuse(char const* name, std::atomic<bool>& said) {
  constexpr int cuda_error_not_supported = 801;
  if (!said.exchange(true, std::memory_order_relaxed))
    std::fprintf(stderr, "pegasus: %s is not supported by this accelerator\n", name);
  return cuda_error_not_supported;
}

} // namespace pegasus::driver

#define PEGASUS_REFUSE(name)                                                                                 \
  extern "C" __attribute__((visibility("default"))) int name() {                                             \
    static std::atomic<bool> said = false;                                                                   \
    static constexpr char spelled[] __attribute__((section(".pegasus_refusals"))) = #name;                   \
    return pegasus::driver::refuse(spelled, said);                                                           \
  }
