// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#pragma once

#include "policies/view.h"

#include <string>

namespace pegasus::sim {

[[nodiscard]] inline double seconds(policies::Nanos time) {
  return std::chrono::duration<double>(time).count();
}

// A time with its unit, to two digits where it has a fraction: "12 us", "1.2 ms", "3.4 s".
[[nodiscard]] std::string time_text(double us);

} // namespace pegasus::sim
