// SPDX-License-Identifier: Apache-2.0
// What a tensor map describes (cuTensorMapEncode*): `rank` dimensions are used, and one stride less. The numbers
// of the last six are CUDA's, and within the range of CUDA's enumerations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pegasus::device {

struct TensorMap {
  static constexpr std::size_t bytes = 128;
  using Descriptor = std::array<std::byte, bytes>; // only the driver and the device interpret it
  enum class Kind : std::uint8_t { tiled = 1, im2col = 2, im2col_wide = 3, other_address = 4 };
  Kind kind = Kind::tiled;
  Descriptor before{}; // other_address: this one, with another address
  std::uint64_t address = 0;
  std::uint32_t rank = 1; // 1 to 5
  std::array<std::uint64_t, 5> dimensions{};
  std::array<std::uint64_t, 4> strides{};
  std::array<std::uint32_t, 5> box{};
  std::array<std::uint32_t, 5> element_strides{};
  std::array<std::int32_t, 3> lower{}, upper{}; // im2col: the corners; im2col_wide: the first one
  std::uint32_t channels = 0, pixels = 0;       // im2col
  std::uint8_t data_type = 0, interleave = 0, swizzle = 0, promotion = 0, fill = 0, mode = 0;
};

} // namespace pegasus::device
