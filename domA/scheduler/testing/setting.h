// SPDX-License-Identifier: Apache-2.0
// How long a random test runs: set by who runs it, as sanitizers make it many times slower.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace pegasus::scheduler::testing {

// A number in the environment.
inline std::uint64_t setting(char const* name, std::uint64_t otherwise) {
  char const* const value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

} // namespace pegasus::scheduler::testing
