// SPDX-License-Identifier: Apache-2.0
#include "frontend/channel/layout.h"

#include "domA/ring/request_ring.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

using namespace pegasus;
using frontend::layout_of;

namespace {

// A call buffer as pegasusd creates it, with its connect reply and header.
struct Said {
  ring::Geometry geometry = ring::geometry_for(64, PEGASUS_ARENA_MIN);
  std::vector<std::byte> pages = std::vector<std::byte>(geometry.total_bytes);
  pegasus_connect_reply connect_reply{};
  pegasus_channel_header header{};

  Said() {
    ring::initialize(pages.data(), geometry);
    std::memcpy(&header, pages.data(), sizeof header);
    connect_reply.channel_bytes = geometry.total_bytes;
    connect_reply.slots = geometry.slots;
    connect_reply.arena_bytes = geometry.arena_bytes;
  }
  [[nodiscard]] auto layout() {
    std::memcpy(pages.data(), &header, sizeof header);
    return layout_of(pages.data(), connect_reply);
  }
};

} // namespace

TEST_CASE("the layout is what pegasusd wrote") {
  Said said;
  auto const layout = said.layout();
  REQUIRE(layout);
  CHECK(layout->slots == 64);
  CHECK(layout->arena_bytes == PEGASUS_ARENA_MIN);
  CHECK(layout->request_offset == said.geometry.request_offset);
  CHECK(layout->reply_offset == said.geometry.reply_offset);
  CHECK(layout->arena_offset == said.geometry.arena_offset);
}

TEST_CASE("the sizes in the header are ignored") {
  Said said;
  said.header.slots = said.header.arena_bytes = said.header.total_bytes = ~0u;
  CHECK(said.layout());
}

TEST_CASE("parts that overlap, or reach beyond what is mapped, are refused") {
  Said said;
  auto const lie = GENERATE(as<std::uint32_t>(), 0, 1, 64, 4097, 1u << 20, 0x7ffff000, 0xfffff000, ~0u);
  SECTION("requests") { said.header.request_offset = lie; }
  SECTION("replies") { said.header.reply_offset = lie; }
  SECTION("arena") { said.header.arena_offset = lie; }
  CHECK_FALSE(said.layout());
}

TEST_CASE("a connect reply with sizes that fit no call buffer is refused") {
  Said said;
  SECTION("slots") {
    said.connect_reply.slots = GENERATE(as<std::uint32_t>(), 0, 1, 8, 63, 65, 128, 8192, 1u << 31, ~0u);
  }
  SECTION("arena") {
    said.connect_reply.arena_bytes =
        GENERATE(as<std::uint32_t>(), 0, 4096, PEGASUS_ARENA_MIN + 1, 2 * PEGASUS_ARENA_MIN, 1u << 31, ~0u);
  }
  SECTION("all") { said.connect_reply.channel_bytes = said.geometry.total_bytes - 1; }
  CHECK_FALSE(said.layout());
}

TEST_CASE("pages that are smaller than a header are not read") {
  pegasus_connect_reply connect_reply{};
  connect_reply.channel_bytes = GENERATE(as<std::uint32_t>(), 0, 1, 4095);
  CHECK_FALSE(layout_of(nullptr, connect_reply));
}
