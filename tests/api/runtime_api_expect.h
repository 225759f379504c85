// SPDX-License-Identifier: Apache-2.0
// Expectations of runtime_api_behaviour.cu. Each one that fails prints a line.
#pragma once

#include <cstdio>
#include <cuda_runtime.h>

inline int checks = 0;
inline int failures = 0;

inline void expect_that(bool holds, char const* what, char const* file, int line) {
  ++checks;
  if (holds) return;
  ++failures;
  std::printf("%s:%d: does not hold: %s\n", file, line, what);
}

inline void expect_result(cudaError_t got, cudaError_t wanted, char const* what, char const* file, int line) {
  ++checks;
  if (got == wanted) return;
  ++failures;
  std::printf("%s:%d: %s: got %s, wanted %s\n", file, line, what, cudaGetErrorName(got),
              cudaGetErrorName(wanted));
}

#define EXPECT(condition) expect_that((condition), #condition, __FILE__, __LINE__)
#define RESULT(call, wanted) expect_result((call), (wanted), #call, __FILE__, __LINE__)
#define OK(call) RESULT(call, cudaSuccess)
