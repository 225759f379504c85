// SPDX-License-Identifier: Apache-2.0
// Properties of a GPU that the context and its parts use.
#pragma once

#include "domA/device/cuda/driver.h"

#include <cstdint>

namespace pegasus::cuda {

struct DeviceFacts {
  std::uint32_t multiprocessors = 1;
  std::uint32_t compute_capability = 0; // 90: 9.0
  std::uint64_t resident_threads = 0;   // on the whole device
  bool maps_host_memory = false;
};

[[nodiscard]] DeviceFacts facts_of(Driver const& driver, int ordinal);

} // namespace pegasus::cuda
