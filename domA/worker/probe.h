// SPDX-License-Identifier: Apache-2.0
// Reports the accelerators to pegasusd, which neither loads a driver nor knows one kind from another: a
// separate process looks for them and writes this struct to its standard output.
#pragma once

#include "frontend/protocol/handshake.h"

#include <cstdint>

namespace pegasus::worker {

struct Probed {
  char error[512];     // if not empty: why this accelerator cannot be used
  std::uint32_t count; // how many of the kind exist, also set on an error
  std::uint32_t reserved;
  std::uint64_t context_bytes; // device memory that a context takes
  std::int64_t switch_ns;      // what a change of the context takes; less than 0: not known
  pegasus_device_profile device;
};

// What to look for.
struct Wanted {
  char const* driver; // its library
  int ordinal;
  std::uint32_t compute_capability; // of the software accelerator
};

// Followed by the kind, and what is in Wanted.
inline constexpr char const* probe_argument = "--probe";

// Returns the process's exit status.
[[nodiscard]] int probe(char const* kind, Wanted const& wanted);

} // namespace pegasus::worker
