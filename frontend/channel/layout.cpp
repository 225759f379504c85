// SPDX-License-Identifier: Apache-2.0
#include "frontend/channel/layout.h"

#include <bit>
#include <cstring>

namespace pegasus::frontend {
namespace {

constexpr std::uint64_t page = 4096;

struct Part {
  std::uint64_t offset, bytes;
  [[nodiscard]] std::uint64_t end() const { return offset + bytes; }
};

bool sizes_valid(Layout const& layout) {
  return std::has_single_bit(layout.slots) && layout.slots >= PEGASUS_SLOTS_MIN &&
         layout.slots <= PEGASUS_SLOTS_MAX && layout.arena_bytes >= PEGASUS_ARENA_MIN &&
         layout.arena_bytes <= PEGASUS_ARENA_MAX && layout.arena_bytes % PEGASUS_CACHE_LINE == 0;
}

} // namespace

std::optional<Layout> layout_of(std::byte const* memory, pegasus_connect_reply const& connect_reply) {
  if (connect_reply.channel_bytes < page) return std::nullopt;
  pegasus_channel_header header;
  std::memcpy(&header, memory, sizeof header);
  Layout const layout{connect_reply.slots, connect_reply.arena_bytes, header.request_offset,
                      header.reply_offset, header.arena_offset};
  if (!sizes_valid(layout)) return std::nullopt;
  std::uint64_t end = page; // of the header
  for (Part const& part : {Part{layout.request_offset, sizeof(pegasus_request) * layout.slots},
                           Part{layout.reply_offset, sizeof(pegasus_reply) * layout.slots},
                           Part{layout.arena_offset, layout.arena_bytes}}) {
    if (part.offset % page != 0 || part.offset < end || part.end() > connect_reply.channel_bytes)
      return std::nullopt;
    end = part.end();
  }
  return layout;
}

} // namespace pegasus::frontend
