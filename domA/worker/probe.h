// SPDX-License-Identifier: Apache-2.0
// What GPUs there are, for pegasusd, which does not load a GPU's driver itself: a process of its own asks and
// writes this to its standard output.
#pragma once

#include "frontend/protocol/handshake.h"

#include <cstdint>

namespace pegasus::worker {

struct Probed {
  char error[512];    // not empty: why this GPU cannot be used
  std::uint32_t gpus; // how many there are, also beside an error
  std::uint32_t reserved;
  std::uint64_t context_bytes; // device memory that a context takes
  pegasus_device_profile device;
};

inline constexpr char const* probe_argument = "--probe-gpu"; // then the driver's library, and the ordinal

// The process's exit status.
[[nodiscard]] int probe(char const* driver, int ordinal);

} // namespace pegasus::worker
