// SPDX-License-Identifier: Apache-2.0
// Where the levels of an array are in its range of addresses, by frontend/protocol/array_layout.h: guests compute the
// same, so that a copy needs no more than addresses.
#pragma once

#include "domA/device/texture.h"
#include "frontend/protocol/array_layout.h"

#include <cstdint>

namespace pegasus::device {

[[nodiscard]] inline pegasus_array_level level_of(ArrayShape const& shape, std::uint32_t level) {
  pegasus_array_shape const numbers{
      .width = static_cast<std::uint32_t>(shape.width),
      .height = static_cast<std::uint32_t>(shape.height),
      .depth = static_cast<std::uint32_t>(shape.depth),
      .flags = shape.layered || shape.cubemap ? std::uint32_t{PEGASUS_ARRAY_LAYERED} : 0,
      .levels = shape.levels,
      .format = static_cast<std::uint8_t>(shape.texel.format),
      .channels = shape.texel.channels,
      .reserved = 0};
  return pegasus_array_level_of(&numbers, level);
}

[[nodiscard]] inline std::uint64_t bytes_of(ArrayShape const& shape) {
  return level_of(shape, shape.levels).offset;
}

// The level that begins `offset` bytes behind the array's first; `shape.levels` if none does.
[[nodiscard]] inline std::uint32_t level_at(ArrayShape const& shape, std::uint64_t offset) {
  std::uint32_t level = 0;
  while (level < shape.levels && level_of(shape, level).offset != offset)
    ++level;
  return level;
}

} // namespace pegasus::device
