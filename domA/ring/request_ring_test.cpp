// SPDX-License-Identifier: Apache-2.0
#include "domA/ring/request_ring.h"

#include "frontend/protocol/calls.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <iterator>
#include <vector>

using namespace pegasus::ring;

namespace {

// A call buffer and the guest's side of it.
struct Buffer {
  explicit Buffer(std::uint32_t slots = 16) : geometry(geometry_for(slots, 0)), pages(geometry.total_bytes) {
    initialize(pages.data(), geometry);
  }
  pegasus_request& slot(std::uint32_t sequence) {
    return reinterpret_cast<pegasus_request*>(pages.data() +
                                              geometry.request_offset)[sequence % geometry.slots];
  }
  pegasus_reply& reply(std::uint32_t sequence) {
    return reinterpret_cast<pegasus_reply*>(pages.data() + geometry.reply_offset)[sequence % geometry.slots];
  }
  void publish(std::uint32_t sequence, std::uint32_t data_offset = 0, std::uint32_t data_bytes = 0) {
    slot(sequence).data_offset = data_offset;
    slot(sequence).data_bytes = data_bytes;
    slot(sequence).call = 1;
    slot(sequence).sequence = sequence;
  }
  Geometry geometry;
  std::vector<std::byte> pages;
};

using Poll = RequestRing::Poll;

} // namespace

TEST_CASE("geometry is clamped to the protocol's limits and page-aligned") {
  auto const [slots, arena, expected_slots, expected_arena] =
      GENERATE(table<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>({
          {0, 0, PEGASUS_SLOTS_DEFAULT, PEGASUS_ARENA_DEFAULT},
          {1, 1, PEGASUS_SLOTS_MIN, PEGASUS_ARENA_MIN},
          {17, 70000, 32, 73728},
          {0xffffffff, 0xffffffff, PEGASUS_SLOTS_MAX, PEGASUS_ARENA_MAX},
      }));
  Geometry const g = geometry_for(slots, arena);
  CHECK(g.slots == expected_slots);
  CHECK(g.arena_bytes == expected_arena);
  CHECK(g.request_offset % 4096 + g.reply_offset % 4096 + g.arena_offset % 4096 == 0);
  CHECK(g.reply_offset >= g.request_offset + g.slots * sizeof(pegasus_request));
  CHECK(g.arena_offset >= g.reply_offset + g.slots * sizeof(pegasus_reply));
  CHECK(g.total_bytes == g.arena_offset + g.arena_bytes);
}

TEST_CASE("requests are taken in order over several laps and answered in their slots") {
  Buffer buffer;
  RequestRing ring(buffer.pages.data(), buffer.geometry);
  for (std::uint32_t sequence = 1; sequence < 100; ++sequence) {
    REQUIRE(ring.peek() == Poll::empty);
    buffer.publish(sequence);
    REQUIRE(ring.peek() == Poll::ready);
    pegasus_request request;
    REQUIRE(ring.take(request));
    CHECK(request.sequence == sequence);
    std::uint64_t const body = sequence * 3;
    ring.reply(sequence, 7, 1, std::as_bytes(std::span(&body, 1)));
    ring.complete(sequence);
    CHECK(buffer.reply(sequence).sequence == sequence);
    CHECK(buffer.reply(sequence).status == 7);
    CHECK(std::memcmp(buffer.reply(sequence).body, &body, sizeof body) == 0);
    CHECK(ring.header().completed == sequence);
  }
}

TEST_CASE("requests that wait are counted, as far as they follow one another") {
  Buffer buffer;
  RequestRing ring(buffer.pages.data(), buffer.geometry);
  CHECK(ring.waiting() == 0);
  for (std::uint32_t const sequence : {1U, 2U, 3U, 5U})
    buffer.publish(sequence);
  CHECK(ring.waiting() == 3);
  pegasus_request request;
  REQUIRE(ring.take(request));
  CHECK(ring.waiting() == 2);
  for (std::uint32_t sequence = 4; sequence <= buffer.geometry.slots + 1; ++sequence)
    buffer.publish(sequence);
  CHECK(ring.waiting() == buffer.geometry.slots);
}

TEST_CASE("a sequence that no correct guest writes breaks the ring") {
  Buffer buffer;
  RequestRing const ring(buffer.pages.data(), buffer.geometry);
  auto const lie = GENERATE(as<std::uint32_t>(), 2, 17, 0xffffffff, 0x80000001);
  buffer.slot(1).sequence = lie;
  CHECK(ring.peek() == Poll::broken);
}

TEST_CASE("a data range outside the arena is refused whatever its form") {
  Buffer buffer;
  RequestRing ring(buffer.pages.data(), buffer.geometry);
  std::uint32_t const arena = buffer.geometry.arena_bytes;
  auto const [offset, bytes, good] = GENERATE_COPY(table<std::uint32_t, std::uint32_t, bool>({
      {0, 0, true},
      {0, arena, true},
      {arena, 0, true},
      {arena - 1, 1, true},
      {1, arena, false},
      {arena, 1, false},
      {0xffffffff, 2, false},
      {2, 0xffffffff, false},
      {0, arena + 1, false},
  }));
  buffer.publish(1, offset, bytes);
  REQUIRE(ring.peek() == Poll::ready);
  pegasus_request request;
  CHECK(ring.take(request) == good);
  if (good) CHECK(ring.data(request).size() == bytes);
}

TEST_CASE("the header's sizes are never read again after the start") {
  Buffer buffer;
  RequestRing ring(buffer.pages.data(), buffer.geometry);
  std::memset(buffer.pages.data(), 0xff, 64); // the guest overwrites the constants
  buffer.publish(1, 0, buffer.geometry.arena_bytes);
  REQUIRE(ring.peek() == Poll::ready);
  pegasus_request request;
  REQUIRE(ring.take(request));
  CHECK(ring.data(request).data() == buffer.pages.data() + buffer.geometry.arena_offset);
}

TEST_CASE("what a guest of version 1 leaves behind a request is not seen; what later ones write there is") {
  std::uint32_t const version = GENERATE(1u, 2u);
  Geometry const geometry = geometry_for(16, 0);
  std::vector<std::byte> pages(geometry.total_bytes);
  initialize(pages.data(), geometry, version);
  CHECK(reinterpret_cast<pegasus_channel_header*>(pages.data())->version == version);
  RequestRing ring(pages.data(), geometry);
  std::uint32_t next = 1;
  // The first byte of the body that is seen as 0.
  auto const seen = [&](std::uint16_t call, std::uint32_t kept = 0) {
    auto& slot = reinterpret_cast<pegasus_request*>(pages.data() + geometry.request_offset)[next % 16];
    std::memset(slot.body, 0x5a, sizeof slot.body);
    pegasus_graph_add_request const add{0x5a, kept, 0x5a};
    if (call == PEGASUS_CALL_GRAPH_ADD) std::memcpy(slot.body, &add, sizeof add);
    slot.call = call;
    slot.sequence = next++;
    pegasus_request taken;
    REQUIRE(ring.take(taken));
    auto const* const from = taken.body + (call == PEGASUS_CALL_GRAPH_ADD ? sizeof add : 0);
    return static_cast<std::size_t>(std::find(from, std::cend(taken.body), 0) - taken.body);
  };
  std::size_t const all = PEGASUS_REQUEST_BODY;
  CHECK(seen(PEGASUS_CALL_PING) == (version == 1 ? 8 : all));
  CHECK(seen(PEGASUS_CALL_COPY_DEVICE) == (version == 1 ? 56 : all));
  CHECK(seen(PEGASUS_CALL_TENSOR_MAP_ENCODE) == (version == 1 ? 8 : all));
  CHECK(seen(PEGASUS_CALL_LAUNCH) == all); // parameters
  CHECK(seen(PEGASUS_CALL_GRAPH_ADD, PEGASUS_CALL_FILL) == (version == 1 ? 16 + 48 : all));
  CHECK(seen(PEGASUS_CALL_GRAPH_ADD, PEGASUS_CALL_LAUNCH) == all);
  CHECK(seen(PEGASUS_CALL_GRAPH_ADD, 0xffffffff) == all);
  CHECK(seen(0xffff) == all);
}
