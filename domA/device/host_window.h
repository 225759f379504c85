// SPDX-License-Identifier: Apache-2.0
// Memory of the host that a program shares with its kernels, at the same addresses in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pegasus::device {

// The addresses from `base` on are those of `bytes`, a file that the program has mapped, too. Empty: the two share none.
struct HostWindow {
  static constexpr std::uint64_t granule = 4096; // a page
  std::uint64_t base = 0;
  std::span<std::byte> bytes;
};

enum class HostMemory : std::uint8_t {
  mapped = 1,  // cudaHostAlloc
  managed = 2, // cudaMallocManaged: counts as device memory
};

} // namespace pegasus::device
