// SPDX-License-Identifier: Apache-2.0
// Where Pegasus's programs and guest libraries lie: beside this very program, and in ../lib.
#pragma once

#include "ctl/failure.h"

#include <string>
#include <vector>

namespace pegasus::ctl {

struct Installation {
  std::string bin; // absolute, no trailing slash
  std::string lib;

  [[nodiscard]] static Result<Installation> find();

  [[nodiscard]] std::string program(std::string const& name) const { return bin + "/" + name; }
  // What a guest program is given in place of NVIDIA's libraries, in the order they are preloaded.
  [[nodiscard]] std::vector<std::string> guest_libraries() const {
    return {lib + "/libcuda.so.1", lib + "/libcudart.so.13"};
  }
};

// Fails, saying what is missing, unless all guest libraries are there and LD_PRELOAD can name them.
[[nodiscard]] Result<void> check_guest_libraries(Installation const& installation);

} // namespace pegasus::ctl
