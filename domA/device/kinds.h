// SPDX-License-Identifier: Apache-2.0
// The kinds of accelerators: what pegasusd and its workers must know of one that device.h does not say. How
// one is found and opened is in domA/worker/kinds.cpp, in the same order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pegasus::device {

struct Kind {
  std::string_view name; // of pegasusd --accelerator, and for operators
  bool has_driver;       // a library that needs its files, its environment, and a sandbox in which it works
  bool memory_is_hosts;  // device memory is its workers' own
  bool alternates;       // it serves contexts side by side, each one's time can only be estimated then
};

// In the order in which `--accelerator auto` looks for one. An index is a kind's number.
inline constexpr std::array<Kind, 2> kinds{{
    {.name = "cuda", .has_driver = true, .memory_is_hosts = false, .alternates = true},
    {.name = "software", .has_driver = false, .memory_is_hosts = true, .alternates = false},
}};

// nullopt: there is no such kind.
[[nodiscard]] constexpr std::optional<std::uint32_t> kind_named(std::string_view name) {
  auto const found =
      std::find_if(kinds.begin(), kinds.end(), [&](Kind const& kind) { return kind.name == name; });
  return found == kinds.end() ? std::nullopt
                              : std::optional(static_cast<std::uint32_t>(found - kinds.begin()));
}

} // namespace pegasus::device
