// SPDX-License-Identifier: Apache-2.0
// An mbarrier object: one word of 64 bits in shared memory, which PTX leaves open. A kernel may write anything there.
#pragma once

#include <cstdint>

namespace pegasus::software {

struct MbarrierWord {
  static constexpr std::uint64_t most = (1 << 20) - 1; // arrivals, PTX ISA 9.7.13.15.1

  std::uint64_t pending;  // arrivals that the phase still needs
  std::uint64_t expected; // of the next phases
  std::uint64_t phase;    // 24 bits

  [[nodiscard]] static constexpr MbarrierWord of(std::uint64_t bits) {
    return {bits & most, bits >> 20 & most, bits >> 40};
  }
  [[nodiscard]] constexpr std::uint64_t bits() const {
    return (pending & most) | (expected & most) << 20 | phase << 40;
  }
};

} // namespace pegasus::software
