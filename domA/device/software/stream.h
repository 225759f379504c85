// SPDX-License-Identifier: Apache-2.0
// Streams and events of a device that does everything when it is asked to. The order of issue is one of the
// orders that CUDA's rules for streams allow, the legacy default stream's included, so a stream has no queue,
// and an event that was recorded has happened.
#pragma once

#include "domA/device/device.h"
#include "domA/device/shared/clock.h"

#include <cstdint>
#include <optional>

namespace pegasus::software {

class SoftwareContext;

class SoftwareStream final : public device::Stream {
public:
  explicit SoftwareStream(SoftwareContext const* context) : context_(context) {}
  [[nodiscard]] SoftwareContext const* context() const { return context_; }

private:
  SoftwareContext const* context_;
};

class SoftwareEvent final : public device::Event {
public:
  static constexpr std::uint32_t blocking_sync = 1, disable_timing = 2, interprocess = 4; // CUevent_flags

  SoftwareEvent(SoftwareContext const* context, std::uint32_t flags) : context_(context), flags_(flags) {}
  [[nodiscard]] SoftwareContext const* context() const { return context_; }
  void record() { recorded_ = shared::device_now(); }

  // When it was recorded last; none when it never was or does not take the time.
  [[nodiscard]] std::optional<device::Nanos> time() const {
    return (flags_ & disable_timing) != 0 ? std::nullopt : recorded_;
  }

private:
  SoftwareContext const* context_;
  std::uint32_t flags_;
  std::optional<device::Nanos> recorded_;
};

} // namespace pegasus::software
