// SPDX-License-Identifier: Apache-2.0
// Streams and events of a device that completes every operation at once. The order of issue is one of the
// orders that CUDA's rules for streams allow, including those of the legacy default stream. A stream
// therefore has no queue, and a recorded event is complete.
#pragma once

#include "domA/device/device.h"
#include "domA/device/shared/clock.h"

#include <cstdint>
#include <optional>

namespace pegasus::software {

class TaskState;

class SoftwareStream final : public device::Stream {
public:
  explicit SoftwareStream(TaskState const* task) : task_(task) {}
  [[nodiscard]] TaskState const* task() const { return task_; } // the owner

private:
  TaskState const* task_;
};

class SoftwareEvent final : public device::Event {
public:
  static constexpr std::uint32_t blocking_sync = 1, disable_timing = 2, interprocess = 4; // CUevent_flags

  SoftwareEvent(TaskState const* task, std::uint32_t flags) : task_(task), flags_(flags) {}
  [[nodiscard]] TaskState const* task() const { return task_; } // the owner
  void record() { recorded_ = shared::device_now(); }

  // When it was last recorded; nullopt if it never was, or if it has no timing.
  [[nodiscard]] std::optional<device::Nanos> time() const {
    return (flags_ & disable_timing) != 0 ? std::nullopt : recorded_;
  }

private:
  TaskState const* task_;
  std::uint32_t flags_;
  std::optional<device::Nanos> recorded_;
};

} // namespace pegasus::software
