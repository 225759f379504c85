// SPDX-License-Identifier: Apache-2.0
// Runs a module's kernels twice, as two programs would: with the baseline instruction set and uninterrupted,
// then with a better instruction set and interrupted between blocks. What a program can see must be the same.
#pragma once

#include "domA/device/device.h"

#include <string>
#include <vector>

namespace pegasus::fuzz {

struct Shape {
  device::Dim3 grid{1, 1, 1}, block{32, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  bool avx2 = false; // the better instruction set is AVX2 even if the machine has AVX-512
};

// Kernels to launch, in this order, and variables to look at afterwards.
struct Names {
  std::vector<std::string> kernels, variables;
};
// The names in a text; none if it is not PTX.
[[nodiscard]] Names names_in(std::string const& ptx);

enum class Ending { refused, too_long, faulted, completed };

// If the twins differ, prints the text and the first difference and ends the program. `compare`: false for a
// program that reads a clock.
Ending run_twins(std::string const& ptx, Names const&, Shape const&, bool compare);

} // namespace pegasus::fuzz
