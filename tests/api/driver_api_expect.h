// SPDX-License-Identifier: Apache-2.0
// Prints and counts the unmet expectations of a driver API program.
#pragma once

#include <cuda.h>

#include <cstdio>

namespace expectations {

inline int failures = 0;

inline char const* name_of(CUresult value) {
  char const* text = nullptr;
  cuGetErrorName(value, &text);
  return text == nullptr ? "(no such error)" : text;
}

inline void expect(bool good, char const* what, int line) {
  if (good) return;
  ++failures;
  std::printf("line %d: not true: %s\n", line, what);
}

inline void expect_result(CUresult got, CUresult wanted, char const* what, int line) {
  if (got == wanted) return;
  ++failures;
  std::printf("line %d: %s gave %s, not %s\n", line, what, name_of(got), name_of(wanted));
}

inline int verdict() {
  std::printf("%s: %d unmet expectations\n", failures == 0 ? "passed" : "FAILED", failures);
  return failures == 0 ? 0 : 1;
}

} // namespace expectations

#define EXPECT(condition) expectations::expect((condition), #condition, __LINE__)
#define GIVES(wanted, call) expectations::expect_result((call), (wanted), #call, __LINE__)
#define WORKS(call) GIVES(CUDA_SUCCESS, call)
