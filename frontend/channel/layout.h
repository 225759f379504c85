// SPDX-License-Identifier: Apache-2.0
// Where the rings and the arena lie in the shared pages. The worker can write the header at any time: it is
// read once, before the first call, and the offsets read must lie within the mapped bytes.
#pragma once

#include "frontend/protocol/channel.h"
#include "frontend/protocol/handshake.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace pegasus::frontend {

struct Layout {
  std::uint32_t slots = 0; // a power of two
  std::uint32_t arena_bytes = 0;
  std::uint32_t request_offset = 0; // from the start of the pages, in bytes, as the next two
  std::uint32_t reply_offset = 0;
  std::uint32_t arena_offset = 0;
};

// `memory` is connect_reply.channel_bytes long. Returns nullopt if the pages are not laid out
// as PROTOCOL.md describes.
[[nodiscard]] std::optional<Layout> layout_of(std::byte const* memory,
                                              pegasus_connect_reply const& connect_reply);

} // namespace pegasus::frontend
