// SPDX-License-Identifier: Apache-2.0
// The architectures that an image has code for, to tell the user why none of it can be used.
#pragma once

#include "domA/device/image/failure.h"

#include <cstdint>
#include <set>
#include <string>

namespace pegasus::image {

struct Architectures {
  std::set<std::string> ptx;     // "compute_90", "compute_90a"
  std::set<std::string> machine; // "sm_80": cubins, which only the hardware runs
  std::set<std::string> other;   // "LTO intermediate code"

  void add(Architectures const&);
  [[nodiscard]] std::string text() const; // "PTX for compute_90 and machine code for sm_80, sm_90"
  // One sentence with the remedy, for a device of this compute capability (75 for 7.5).
  [[nodiscard]] Failure unusable(std::uint32_t compute_capability) const;
};

} // namespace pegasus::image
