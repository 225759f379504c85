// SPDX-License-Identifier: Apache-2.0
// Attributes of a launch (CUlaunchAttribute). A device without thread block clusters refuses these and ignores
// the others, which do not change what a kernel computes. The numbers are CUDA's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace pegasus::device {

using Dim3 = std::array<std::uint32_t, 3>;

struct LaunchAttributes {
  std::optional<Dim3> cluster;           // in blocks
  std::optional<Dim3> preferred_cluster; // used where it fits
  std::optional<std::uint32_t> cluster_scheduling;
  std::optional<std::int32_t> priority;
  std::optional<std::uint32_t> memory_domain;
  std::optional<std::array<std::uint8_t, 2>> memory_domain_map; // default, remote
  std::optional<std::int32_t> carveout;                         // per cent of shared memory; -1: default
  bool programmatic = false; // the launch may start before the one before it in its stream has ended
};

} // namespace pegasus::device
