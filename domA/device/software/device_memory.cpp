// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/device_memory.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace pegasus::software {

void HostPages::copy_pages(std::span<std::byte> to, std::span<std::byte const> from) {
  static constexpr std::array<std::byte, 4096> zeroes{};
  for (std::size_t at = 0; at < from.size(); at += zeroes.size()) {
    std::size_t const bytes = std::min(from.size() - at, zeroes.size());
    if (std::memcmp(&from[at], zeroes.data(), bytes) != 0) std::memcpy(&to[at], &from[at], bytes);
  }
}

} // namespace pegasus::software
