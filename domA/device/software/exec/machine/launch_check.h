// SPDX-License-Identifier: Apache-2.0
// Checks whether a launch is possible, before any of its blocks runs.
#pragma once

#include "domA/device/software/exec/machine/launch.h"

#include <string>

namespace pegasus::software {

inline constexpr std::uint64_t max_local_bytes = std::uint64_t{1} << 30; // of the threads of one block

// Returns success, or why the launch is refused, as a diagnostic for the whole block or grid. A lack of host
// memory shows only later.
[[nodiscard]] Outcome check(Kernel const&, device::Launch const&, Limits const&);
[[nodiscard]] Outcome refusal(Kernel const&, device::Status, std::string const& what);

// Local memory of each thread.
[[nodiscard]] inline std::uint64_t local_bytes_of(Kernel const& kernel, Limits const& limits) {
  return kernel.local_bytes + (kernel.unbounded_stack ? limits.stack_bytes : 0);
}

} // namespace pegasus::software
