// SPDX-License-Identifier: Apache-2.0
// PTX modules from a fuzzer's bytes: typed, well formed nearly always, and with an end. What a thread writes
// are its own cells and, by operations whose order does not matter, the counters: a launch has one result.
#pragma once

#include "tests/fuzz/input.h"

#include <string>

namespace pegasus::fuzz {

// Kernel `k`: its first parameter is the address of cell_bytes zeroed bytes for each thread, the others are
// anything.
// `.visible .global counters` are counter_bytes bytes that all threads count in.
inline constexpr unsigned cell_bytes = 288;
inline constexpr unsigned counter_bytes = 64;

[[nodiscard]] std::string generate_ptx(Input&);

} // namespace pegasus::fuzz
