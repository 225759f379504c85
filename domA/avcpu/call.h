// SPDX-License-Identifier: Apache-2.0
// One call on its way through a handler: what it has besides its request struct, and what comes of it.
#pragma once

#include "domA/device/device.h"
#include "frontend/protocol/channel.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace pegasus::avcpu {

using device::Status;

struct Data {
  std::span<std::byte> arena; // the guest may change it at any time
  // The bytes after the request struct in the slot (private copy).
  std::span<std::byte const> inline_bytes;
  device::TimeSlice const* slice;
};

struct CallResult {
  bool expected = false; // the guest waits for a reply
  // a launch was interrupted, or a graph has more requests: call resume() before anything else
  bool unfinished = false;
  Status status = Status::success;
  std::uint32_t flags = 0;
  std::byte body[PEGASUS_REPLY_BODY] = {};
};

} // namespace pegasus::avcpu
