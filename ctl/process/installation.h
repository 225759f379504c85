// SPDX-License-Identifier: Apache-2.0
// Where Pegasus's programs and guest libraries are: beside this program, and in ../lib.
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
  // The libraries that replace NVIDIA's in a guest program, in the order of preloading.
  [[nodiscard]] std::vector<std::string> guest_libraries() const;
  // What lets programs with NVIDIA's static runtime use ours (frontend/relink).
  [[nodiscard]] std::string audit_library() const { return lib + "/libpegasus-relink.so"; }
};

// Fails, saying what is missing, unless all guest libraries exist and LD_PRELOAD can name them.
[[nodiscard]] Result<void> check_guest_libraries(Installation const& installation);

} // namespace pegasus::ctl
