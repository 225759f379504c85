// SPDX-License-Identifier: Apache-2.0
// Host memory of the program that it passes to no call as a target. A hostile worker may name it as device memory.
#pragma once

#include "tests/fuzz/require.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pegasus::fuzz {

constexpr std::byte victim_byte{0x5a};

inline std::vector<std::byte>& victim_bytes() {
  static std::vector<std::byte> bytes(4096, victim_byte);
  return bytes;
}

[[nodiscard]] inline std::uint64_t victim() {
  return reinterpret_cast<std::uint64_t>(victim_bytes().data() + victim_bytes().size() / 2);
}

inline void check_victim() {
  require(std::ranges::all_of(victim_bytes(), [](std::byte b) { return b == victim_byte; }));
}

} // namespace pegasus::fuzz
