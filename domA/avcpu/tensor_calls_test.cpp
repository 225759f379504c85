// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/testing/features.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using avcpu::testing::FeatureGuest;
using device::Status;
using Kind = device::TensorMap::Kind;

namespace {

struct TensorGuest : FeatureGuest {
  pegasus_tensor_map map{};

  TensorGuest() {
    map.kind = 1;
    map.rank = 5;
    map.address = 0x700000001000;
    for (std::uint32_t i = 0; i < 5; ++i) {
      map.dimensions[i] = 100 + i;
      map.box[i] = 10 + i;
      map.element_strides[i] = 1 + i;
      if (i < 4) map.strides[i] = 1000 + i;
      if (i < 3) map.lower[i] = -static_cast<std::int32_t>(i), map.upper[i] = static_cast<std::int32_t>(i);
    }
    map.channels = 64;
    map.pixels = 128;
    map.data_type = 15;
    map.interleave = 2;
    map.swizzle = 6;
    map.promotion = 3;
    map.fill = 1;
    map.mode = 1;
  }
  Status encode(std::size_t data_bytes = sizeof(pegasus_tensor_map)) {
    std::memcpy(arena.data(), &map, sizeof map);
    return execute(PEGASUS_CALL_TENSOR_MAP_ENCODE, pegasus_tensor_map_encode_request{}, data_bytes).status;
  }
};

} // namespace

TEST_CASE("a tensor map's description arrives, and its descriptor comes back") {
  TensorGuest guest;
  guest.map.kind = GENERATE(std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{3}, std::uint8_t{4});
  std::memset(guest.map.descriptor, 0x11, sizeof guest.map.descriptor);
  REQUIRE(guest.encode() == Status::success);
  REQUIRE(guest.context->map);
  device::TensorMap const& map = *guest.context->map;
  CHECK(map.kind == static_cast<Kind>(guest.map.kind));
  CHECK(map.before[127] == std::byte{0x11});
  CHECK(map.address == 0x700000001000);
  CHECK(map.rank == 5);
  CHECK(map.dimensions[4] == 104);
  CHECK(map.strides[3] == 1003);
  CHECK(map.box[4] == 14);
  CHECK(map.element_strides[4] == 5);
  CHECK(map.lower[2] == -2);
  CHECK(map.upper[2] == 2);
  CHECK(map.channels == 64);
  CHECK(map.pixels == 128);
  CHECK(map.data_type == 15);
  CHECK(map.interleave == 2);
  CHECK(map.swizzle == 6);
  CHECK(map.promotion == 3);
  CHECK(map.fill == 1);
  CHECK(map.mode == 1);
  CHECK(guest.arena[0] == std::byte{0x7e});
  CHECK(guest.arena[127] == std::byte{0x7e});
  CHECK(std::memcmp(&guest.arena[128], &guest.map.address, sizeof guest.map.address) == 0); // as it was
}

TEST_CASE("descriptions that would make a driver read beyond its arguments do not reach it") {
  TensorGuest guest;
  SECTION("no such kind") { guest.map.kind = GENERATE(std::uint8_t{0}, std::uint8_t{5}, std::uint8_t{255}); }
  SECTION("rank") { guest.map.rank = GENERATE(std::uint8_t{0}, std::uint8_t{6}, std::uint8_t{255}); }
  SECTION("an image has channels, columns and rows") {
    guest.map.kind = GENERATE(std::uint8_t{2}, std::uint8_t{3});
    guest.map.rank = 2;
  }
  SECTION("data type") { guest.map.data_type = 16; }
  SECTION("interleave") { guest.map.interleave = 4; }
  SECTION("swizzle") { guest.map.swizzle = 8; }
  SECTION("promotion") { guest.map.promotion = 4; }
  SECTION("fill") { guest.map.fill = 2; }
  SECTION("mode") { guest.map.mode = 2; }
  CHECK(guest.encode() == Status::invalid_value);
  CHECK_FALSE(guest.context->map);
}

TEST_CASE("a range of the arena that is too short is refused") {
  TensorGuest guest;
  CHECK(guest.encode(GENERATE(std::size_t{0}, std::size_t{127}, sizeof(pegasus_tensor_map) - 1)) ==
        Status::invalid_value);
  CHECK_FALSE(guest.context->map);
}

TEST_CASE("the device sees one state of the description, whatever the guest writes meanwhile") {
  TensorGuest guest;
  guest.context->meanwhile = [&] { std::fill(guest.arena.begin(), guest.arena.end(), std::byte{0xff}); };
  CHECK(guest.encode() == Status::success);
  CHECK(guest.context->map->rank == 5);
}

TEST_CASE("a driver's refusal is passed on, and writes nothing") {
  TensorGuest guest;
  guest.context->answer = Status::not_supported;
  CHECK(guest.encode() == Status::not_supported);
  CHECK(guest.arena[0] == std::byte{0});
}
