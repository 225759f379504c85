// SPDX-License-Identifier: Apache-2.0
// The worker's end of a Xen guest's call buffer: its pages, mapped from grants, and the event channel between
// the two. Made before entering the sandbox.
#pragma once

#include "domA/guests/guest_link.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tl/expected.hpp>

namespace pegasus::xen {

class WorkerChannel {
public:
  virtual ~WorkerChannel() = default;
  [[nodiscard]] virtual std::byte* memory() const = 0;
  virtual void ring() = 0;
  virtual void wait() = 0; // until the guest rings; returns at once if it rang since the last wait

  // `pages` references are read from source.fd. The event channel's descriptor becomes `event_fd`.
  [[nodiscard]] static tl::expected<std::unique_ptr<WorkerChannel>, std::string>
  open(guests::ChannelSource const& source, std::uint32_t pages, int event_fd);
};

// The only ioctl that ring() makes, for the sandbox's filter.
[[nodiscard]] unsigned long ring_request();

} // namespace pegasus::xen
