// SPDX-License-Identifier: Apache-2.0
// The compute capabilities that the software accelerator can have.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace pegasus::device {

struct Capability {
  std::string_view name; // for pegasusd --compute-capability
  std::uint32_t number;  // 75: 7.5
};

// Ascending. The first is the default, and the newest for which nvcc 13 compiles without an option.
inline constexpr std::array<Capability, 2> capabilities{{{"7.5", 75}, {"8.0", 80}}};
inline constexpr std::uint32_t default_capability = capabilities.front().number;

// The default's number if there is no such name.
[[nodiscard]] constexpr std::uint32_t capability_named(std::string_view name) {
  auto const* const found = std::ranges::find(capabilities, name, &Capability::name);
  return found == capabilities.end() ? default_capability : found->number;
}

} // namespace pegasus::device
