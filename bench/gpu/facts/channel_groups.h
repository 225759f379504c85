// SPDX-License-Identifier: Apache-2.0
// The channel groups of this process on the GPU, as NVIDIA's driver library makes them: it calls the C
// library's ioctl, and this program defines that function. What the controls do is documented in the headers of
// NVIDIA's open kernel module (nvos.h, ctrla06c.h); all three may be called by any process for its own groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace pegasus::facts::channel_groups {

struct Outcome {
  std::uint32_t status = 0; // the worst of the groups' NV_STATUS; 0: all succeeded
  double took_us = 0;
  std::string text; // by group, for people
};

[[nodiscard]] std::size_t count();
// How many ioctls the driver's library made to its kernel module through this program.
[[nodiscard]] std::size_t calls_seen();

// Takes all groups off the run list, and waits until the GPU has left them.
[[nodiscard]] Outcome suspend();
[[nodiscard]] Outcome resume();
// Of the first group.
[[nodiscard]] std::optional<std::uint64_t> time_slice_us();
[[nodiscard]] Outcome set_time_slice(std::uint64_t us);

} // namespace pegasus::facts::channel_groups
