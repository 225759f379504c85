// SPDX-License-Identifier: Apache-2.0
// The kinds of accelerators: properties that pegasusd and its workers need and device.h does not have.
// domA/worker/kinds.cpp finds and opens each kind, in the same order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pegasus::device {

struct Kind {
  std::string_view name; // for pegasusd --accelerator, and for operators
  bool has_driver;       // it is used through NVIDIA's driver, which reads the environment
  bool memory_is_hosts;  // device memory is part of its workers' memory
  bool alternates;   // it executes several contexts side by side; the time of each can then only be estimated
  bool runs_on_cpus; // polling takes time from it
  bool shares_host_memory; // its kernels can use memory of the host
};

// In the order in which `--accelerator auto` tries them. The index is the kind's number.
inline constexpr std::array<Kind, 2> kinds{{
    {.name = "cuda",
     .has_driver = true,
     .memory_is_hosts = false,
     .alternates = true,
     .runs_on_cpus = false,
     .shares_host_memory = false},
    {.name = "software",
     .has_driver = false,
     .memory_is_hosts = true,
     .alternates = false,
     .runs_on_cpus = true,
     .shares_host_memory = true},
}};

// Returns nullopt if there is no such kind.
[[nodiscard]] constexpr std::optional<std::uint32_t> kind_named(std::string_view name) {
  auto const found =
      std::find_if(kinds.begin(), kinds.end(), [&](Kind const& kind) { return kind.name == name; });
  return found == kinds.end() ? std::nullopt
                              : std::optional(static_cast<std::uint32_t>(found - kinds.begin()));
}

} // namespace pegasus::device
