// SPDX-License-Identifier: Apache-2.0
// What accelerators there are, for pegasusd, which neither loads a driver nor knows one kind from another: a
// process of its own looks and writes this to its standard output.
#pragma once

#include "frontend/protocol/handshake.h"

#include <cstdint>

namespace pegasus::worker {

struct Probed {
  char error[512];     // not empty: why this accelerator cannot be used
  std::uint32_t count; // how many of the kind there are, also beside an error
  std::uint32_t reserved;
  std::uint64_t context_bytes; // device memory that a context takes
  pegasus_device_profile device;
};

// Then the kind, its driver's library, and the ordinal.
inline constexpr char const* probe_argument = "--probe";

// The process's exit status.
[[nodiscard]] int probe(char const* kind, char const* driver, int ordinal);

} // namespace pegasus::worker
