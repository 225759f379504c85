// SPDX-License-Identifier: Apache-2.0
// The call buffer of a worker's guest and its doorbell, for each kind of guest. Made before entering the
// sandbox; exists until the process ends.
#pragma once

#include "domA/worker/doorbell.h"
#include "domA/worker/start.h"

#include <memory>
#include <span>

namespace pegasus::worker {

struct Channel {
  std::byte* memory;
  std::unique_ptr<Doorbell> doorbell;
  std::span<std::byte> host_window{}; // empty: none
};

[[nodiscard]] tl::expected<Channel, std::string> open_channel(Start const& start);

} // namespace pegasus::worker
