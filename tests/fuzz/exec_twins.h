// SPDX-License-Identifier: Apache-2.0
// Runs a module's kernels twice, as two programs would: with the baseline instruction set and uninterrupted,
// then with a better instruction set and interrupted between blocks. What a program can see must be the same.
#pragma once

#include "domA/device/device.h"
#include "domA/device/ptx/module.h"

#include <string>
#include <vector>

namespace pegasus::fuzz {

struct Shape {
  device::Dim3 grid{1, 1, 1}, block{32, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  bool avx2 = false;  // the better instruction set is AVX2 even if the machine has AVX-512
  bool apart = false; // compile for each twin, instead of replacing the lane loops of the first
};

// Kernels to launch, in this order, and variables to look at afterwards.
struct Names {
  std::vector<std::string> kernels, variables;
};
[[nodiscard]] Names names_in(ptx::Module const&);

enum class Ending { refused, too_long, faulted, completed };

// If the twins differ, prints the text and the first difference and ends the program. `compare`: false for a
// program that reads a clock. Without names: those in the text.
Ending run_twins(std::string const& ptx, Names const* names, Shape const&, bool compare);

} // namespace pegasus::fuzz
