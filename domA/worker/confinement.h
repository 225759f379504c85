// SPDX-License-Identifier: Apache-2.0
// How far a worker is confined. Anything but `all` is for finding out what a driver needs, on a private daemon.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pegasus::worker {

enum class Confinement : std::uint32_t {
  none,  // an ordinary process of pegasusd's user
  jail,  // namespaces, a user and a root directory of its own (jail.h), but no sandbox
  trace, // as `all`, and says on standard error which system calls are refused
  all    // the sandbox, too (sandbox.h)
};

inline constexpr std::array<std::string_view, 4> confinements{"none", "jail", "trace", "all"};

[[nodiscard]] constexpr std::optional<Confinement> confinement_named(std::string_view name) {
  auto const* const found = std::ranges::find(confinements, name);
  if (found == confinements.end()) return std::nullopt;
  return static_cast<Confinement>(found - confinements.begin());
}

} // namespace pegasus::worker
