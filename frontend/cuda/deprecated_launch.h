// SPDX-License-Identifier: Apache-2.0
// What a kernel's next launch has, as the functions before cuLaunchKernel set it one by one.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <vector>

namespace pegasus::driver {

struct LaunchState {
  std::mutex mutex; // guards the rest
  std::array<unsigned, 3> block{};
  unsigned dynamic_shared = 0;
  std::vector<std::byte> parameters;
  std::size_t parameter_bytes = 0; // may be set before or after the parameters
};

} // namespace pegasus::driver
