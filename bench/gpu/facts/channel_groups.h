// SPDX-License-Identifier: Apache-2.0
// The channels and channel groups of this process on the GPU, as NVIDIA's driver library makes them
// (driver_objects.h). What the controls do is documented in the headers of NVIDIA's open kernel module, which are named
// where the numbers are. Any process may call them for objects of its own, but for the two that need the capability
// CAP_SYS_NICE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace pegasus::facts::channel_groups {

struct Outcome {
  std::uint32_t status = 0; // the worst NV_STATUS of the calls; 0: all succeeded
  double took_us = 0;
  std::string text; // by call, for people
};
Outcome& operator+=(Outcome& first, Outcome const& then);

[[nodiscard]] std::size_t count(); // of groups
[[nodiscard]] std::size_t channels();
[[nodiscard]] std::size_t debuggers();
[[nodiscard]] std::string list(); // groups with their channels, clients, devices and subdevices, for people

// Takes all groups off the run list, and waits until the GPU has left them.
[[nodiscard]] Outcome suspend();
[[nodiscard]] Outcome resume();

struct Schedule {
  std::uint8_t enable = 0, skip_submit = 0, skip_enable = 0;
};
[[nodiscard]] Outcome schedule_groups(Schedule how);
[[nodiscard]] Outcome schedule_channels(Schedule how);
[[nodiscard]] Outcome preempt_groups();

// All channels in one call for each subdevice. A disabled one does not run until it is enabled again; one whose
// scheduling alone is disabled stays on the GPU while nothing takes it off.
enum class Channels { enabled, disabled, scheduling_disabled };
[[nodiscard]] Outcome set_channels(Channels state);

// Starts the run list of each group again. Needs CAP_SYS_NICE.
[[nodiscard]] Outcome restart_run_lists();

// By the debugger objects that the driver's library made for its own contexts.
[[nodiscard]] Outcome suspend_contexts();
[[nodiscard]] Outcome resume_contexts();

// Of the first group.
[[nodiscard]] std::optional<std::uint64_t> time_slice_us();
[[nodiscard]] Outcome set_time_slice(std::uint64_t us);
// How often a group is on the run list: 0, 1 or 2. To set it needs CAP_SYS_NICE.
[[nodiscard]] std::optional<std::uint32_t> interleave_level();
[[nodiscard]] Outcome set_interleave_level(std::uint32_t level);

} // namespace pegasus::facts::channel_groups
