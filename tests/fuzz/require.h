// SPDX-License-Identifier: Apache-2.0
// Checks what must hold for any input. Otherwise the program says where and ends, and the fuzzer
// keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace pegasus::fuzz {

inline void require(bool holds, char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (holds) return;
  dprintf(STDERR_FILENO, "%s:%d: this must hold\n", file, line);
  std::abort();
}

} // namespace pegasus::fuzz
