// SPDX-License-Identifier: Apache-2.0
// Kernels of one instruction, for tests that try all of them.
#pragma once

#include "tests/fuzz/exec_program.h"

#include <string>
#include <string_view>

namespace pegasus::fuzz {

// Kinds of registers: those of ptx_writer.h, q of 128 bits, and f and g, declared as .f32 and .f64.
inline constexpr std::string_view register_kinds = "phrdqfg";

// A kernel with registers %KIND0 to %KIND5, %d9 for an address, and 64 bytes each of .local `lo`, .shared `sh`, .global
// `gl` and .const `co`; the parameter `cells` is the address of a buffer,
// and `args` 64 bytes.
[[nodiscard]] std::string kernel_of(std::string_view code);

// Runs it with so many threads on the checked baseline, and then on the lane loops of the best instruction set. Both must
// end alike, before an alarm ends the program.
[[nodiscard]] Story run_both(std::string const& ptx, unsigned threads = 5);

} // namespace pegasus::fuzz
