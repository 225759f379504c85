// SPDX-License-Identifier: Apache-2.0
#include "domA/ring/request_ring.h"

#include "domA/ring/version_1.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

namespace pegasus::ring {
namespace {

constexpr std::uint32_t page = 4096;

constexpr std::uint32_t round_to_page(std::uint32_t bytes) { return (bytes + page - 1) / page * page; }

static_assert(sizeof(pegasus_channel_header) <= page);

} // namespace

Geometry geometry_for(std::uint32_t slots, std::uint32_t arena_bytes) {
  Geometry g;
  slots = slots == 0 ? PEGASUS_SLOTS_DEFAULT : std::clamp(slots, PEGASUS_SLOTS_MIN, PEGASUS_SLOTS_MAX);
  arena_bytes = arena_bytes == 0 ? PEGASUS_ARENA_DEFAULT
                                 : std::clamp(arena_bytes, PEGASUS_ARENA_MIN, PEGASUS_ARENA_MAX);
  g.slots = std::bit_ceil(slots);
  g.arena_bytes = round_to_page(arena_bytes);
  g.request_offset = page;
  g.reply_offset =
      g.request_offset + round_to_page(g.slots * static_cast<std::uint32_t>(sizeof(pegasus_request)));
  g.arena_offset =
      g.reply_offset + round_to_page(g.slots * static_cast<std::uint32_t>(sizeof(pegasus_reply)));
  g.total_bytes = g.arena_offset + g.arena_bytes;
  return g;
}

void initialize(std::byte* memory, Geometry const& g, std::uint32_t version) {
  auto& header = *reinterpret_cast<pegasus_channel_header*>(memory);
  header.magic = PEGASUS_CHANNEL_MAGIC;
  header.version = version;
  header.slots = g.slots;
  header.arena_bytes = g.arena_bytes;
  header.request_offset = g.request_offset;
  header.reply_offset = g.reply_offset;
  header.arena_offset = g.arena_offset;
  header.total_bytes = g.total_bytes;
  auto* const requests = reinterpret_cast<pegasus_request*>(memory + g.request_offset);
  auto* const replies = reinterpret_cast<pegasus_reply*>(memory + g.reply_offset);
  for (std::uint32_t slot = 0; slot < g.slots; ++slot)
    requests[slot].sequence = replies[slot].sequence = slot == 0 ? 0 : slot - g.slots;
}

RequestRing::RequestRing(std::byte* memory, Geometry const& g)
    : header_(reinterpret_cast<pegasus_channel_header*>(memory)),
      requests_(reinterpret_cast<pegasus_request*>(memory + g.request_offset), g.slots),
      replies_(reinterpret_cast<pegasus_reply*>(memory + g.reply_offset), g.slots),
      arena_(memory + g.arena_offset, g.arena_bytes), mask_(g.slots - 1),
      of_version_1_(std::atomic_ref(header_->version).load(std::memory_order_relaxed) == 1) {}

RequestRing::Poll RequestRing::peek() const {
  std::uint32_t const sequence =
      std::atomic_ref(requests_[expected_ & mask_].sequence).load(std::memory_order_acquire);
  if (sequence == expected_) return Poll::ready;
  return sequence == expected_ - (mask_ + 1) ? Poll::empty : Poll::broken;
}

std::uint32_t RequestRing::waiting() const {
  std::uint32_t count = 0;
  while (count <= mask_) {
    std::uint32_t const next = expected_ + count;
    if (std::atomic_ref(requests_[next & mask_].sequence).load(std::memory_order_relaxed) != next) break;
    ++count;
  }
  return count;
}

bool RequestRing::take(pegasus_request& request) {
  std::memcpy(&request, &requests_[expected_ & mask_], sizeof request);
  std::atomic_signal_fence(std::memory_order_seq_cst); // the compiler may not read the slot again
  if (of_version_1_) clear_behind_version_1(request);
  request.sequence = expected_; // the guest may have changed the sequence after the check
  ++expected_;
  return request.data_bytes <= arena_.size() && request.data_offset <= arena_.size() - request.data_bytes;
}

std::span<std::byte> RequestRing::data(pegasus_request const& request) const {
  return arena_.subspan(request.data_offset, request.data_bytes);
}

void RequestRing::reply(std::uint32_t sequence, std::int32_t status, std::uint32_t flags,
                        std::span<std::byte const> body) {
  pegasus_reply& slot = replies_[sequence & mask_];
  slot.status = status;
  slot.flags = flags;
  std::copy_n(body.begin(), std::min(body.size(), sizeof slot.body), reinterpret_cast<std::byte*>(slot.body));
  std::atomic_ref(slot.sequence).store(sequence, std::memory_order_release);
}

void RequestRing::complete(std::uint32_t sequence) {
  std::atomic_ref(header_->completed).store(sequence, std::memory_order_release);
}

} // namespace pegasus::ring
