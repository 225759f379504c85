// SPDX-License-Identifier: Apache-2.0
// Common code of the fault programs: they cause an error and pass if it is the documented one.
#pragma once

#include "workloads/common.h"

#include <initializer_list>

namespace workload {

// Returns an empty string if `got` is one of `allowed`. Several are allowed only if CUDA's documentation
// leaves the choice.
inline std::string expect(char const* what, cudaError_t got, std::initializer_list<cudaError_t> allowed) {
  std::printf("%s: %s (%d)\n", what, cudaGetErrorName(got), static_cast<int>(got));
  std::fflush(stdout);
  std::string names;
  for (cudaError_t const error : allowed) {
    if (got == error) return {};
    names += (names.empty() ? "" : " or ") + std::string(cudaGetErrorName(error));
  }
  return std::string(what) + " gave " + cudaGetErrorName(got) + ", expected " + names;
}

// After an error that corrupts the context, every call returns it again and no call clears it (CUDA Runtime
// API, cudaErrorIllegalAddress and cudaErrorAssert: "the process must be terminated and relaunched").
inline std::string expect_sticky(cudaError_t error) {
  std::string wrong = expect("cudaGetLastError", cudaGetLastError(), {error});
  if (!wrong.empty()) return wrong;
  void* memory = nullptr;
  wrong = expect("cudaMalloc afterwards", cudaMalloc(&memory, 4096), {error});
  if (!wrong.empty()) return wrong;
  wrong = expect("cudaGetLastError again", cudaGetLastError(), {error});
  if (!wrong.empty()) return wrong;
  return expect("cudaDeviceSynchronize again", cudaDeviceSynchronize(), {error});
}

} // namespace workload
