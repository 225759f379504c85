// SPDX-License-Identifier: Apache-2.0
// What the fault programs share: they provoke an error and pass when it is the documented one.
#pragma once

#include "workloads/common.h"

#include <initializer_list>

namespace workload {

// Empty if `got` is one of `allowed`. Several are allowed only where CUDA's documentation leaves the choice.
inline std::string expect(char const* what, cudaError_t got, std::initializer_list<cudaError_t> allowed) {
  std::printf("%s: %s (%d)\n", what, cudaGetErrorName(got), static_cast<int>(got));
  std::fflush(stdout);
  std::string names;
  for (const cudaError_t error : allowed) {
    if (got == error) return {};
    names += (names.empty() ? "" : " or ") + std::string(cudaGetErrorName(error));
  }
  return std::string(what) + " gave " + cudaGetErrorName(got) + ", expected " + names;
}

// After an error that corrupts the context, every call says so again and nothing clears it (CUDA Runtime API,
// cudaErrorIllegalAddress and cudaErrorAssert: "the process must be terminated and relaunched").
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
