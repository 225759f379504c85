// SPDX-License-Identifier: Apache-2.0
// What must hold for any input: else the program ends, and the fuzzer keeps the input.
#pragma once

#include <cstdlib>

namespace pegasus::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

} // namespace pegasus::fuzz
