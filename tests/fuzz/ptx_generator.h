// SPDX-License-Identifier: Apache-2.0
// PTX modules from a fuzzer's bytes. They are typed, nearly always well formed, and they end. A thread writes
// only to its cells and, by operations whose order does not matter, to the counters: a launch has one result.
#pragma once

#include "tests/fuzz/input.h"

#include <string>

namespace pegasus::fuzz {

// The first parameter of kernel `k` is the address of cell_bytes zeroed bytes for each thread; the others may
// have any value. All threads count in `.visible .global counters`, counter_bytes bytes.
inline constexpr unsigned cell_bytes = 288;
inline constexpr unsigned counter_bytes = 64;

[[nodiscard]] std::string generate_ptx(Input&);

} // namespace pegasus::fuzz
