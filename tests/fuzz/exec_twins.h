// SPDX-License-Identifier: Apache-2.0
// A module's kernels, run twice as two programs would: by the host's plainest instruction set and in one go;
// by a better one and interrupted between blocks. What a program can see must be the same.
#pragma once

#include "domA/device/device.h"

#include <string>
#include <vector>

namespace pegasus::fuzz {

struct Shape {
  device::Dim3 grid{1, 1, 1}, block{32, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  bool avx2 = false; // the better one of the two where the machine has AVX-512, too
};

// Kernels to launch, in this order, and variables to look at afterwards.
struct Names {
  std::vector<std::string> kernels, variables;
};
// Those of a text; none when it is no PTX.
[[nodiscard]] Names names_in(std::string const& ptx);

enum class Ending { refused, too_long, faulted, completed };

// Ends the program when the twins differ, after printing the text and where they do. `compare`: false for a
// program that looks at a clock.
Ending run_twins(std::string const& ptx, Names const&, Shape const&, bool compare);

} // namespace pegasus::fuzz
