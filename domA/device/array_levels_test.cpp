// SPDX-License-Identifier: Apache-2.0
#include "domA/device/array_levels.h"

#include <catch2/catch.hpp>

using namespace pegasus;

TEST_CASE("levels follow each other, and a layer stays whole") {
  device::ArrayShape shape{
      .width = 10, .height = 6, .depth = 4, .texel = {device::TexelFormat::f32, 4}, .levels = 4};
  CHECK(device::level_of(shape, 0).row_bytes == 160);
  pegasus_array_level const second = device::level_of(shape, 1);
  CHECK((second.width == 5 && second.height == 3 && second.slices == 2));
  CHECK(second.offset == 4096); // 3840 bytes, in whole units of 512
  CHECK(device::level_at(shape, 4096) == 1);
  CHECK(device::level_at(shape, 4095) == 4);
  CHECK((device::level_of(shape, 3).width == 1 && device::level_of(shape, 3).slices == 1));
  CHECK(device::bytes_of(shape) == device::level_of(shape, 3).offset + 512);
  shape.layered = true;
  CHECK(device::level_of(shape, 2).slices == 4);
  device::ArrayShape const largest{.width = PEGASUS_ARRAY_EXTENT_MAX,
                                   .height = PEGASUS_ARRAY_EXTENT_MAX,
                                   .depth = PEGASUS_ARRAY_EXTENT_MAX,
                                   .texel = {device::TexelFormat::f32, 4},
                                   .layered = true,
                                   .levels = PEGASUS_ARRAY_LEVELS_MAX};
  CHECK(device::bytes_of(largest) > std::uint64_t{1} << 58);
  CHECK(device::bytes_of(largest) < std::uint64_t{1} << 59);
}
