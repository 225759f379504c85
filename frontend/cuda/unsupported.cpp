// SPDX-License-Identifier: Apache-2.0
// Every other function of the driver API: it exists, says once that it is not available, and answers so.
// Their arguments do not matter: the C calling conventions of our platforms let a function ignore what it was
// passed.
#include <atomic>
#include <cstdio>

namespace {

constexpr int cuda_error_not_supported = 801;

int refuse(char const* name, std::atomic<bool>& said) {
  if (!said.exchange(true, std::memory_order_relaxed))
    std::fprintf(stderr, "pegasus: %s is not supported by this accelerator\n", name);
  return cuda_error_not_supported;
}

} // namespace

#define PEGASUS_UNSUPPORTED(name)                                                                            \
  extern "C" __attribute__((visibility("default"))) int name() {                                             \
    static std::atomic<bool> said = false;                                                                   \
    return refuse(#name, said);                                                                              \
  }
#include "frontend/cuda/unsupported.inc"
#undef PEGASUS_UNSUPPORTED
