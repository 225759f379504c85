// SPDX-License-Identifier: Apache-2.0
// The forms of instructions on textures and surfaces: what the compiler finds in their names and the executor needs
// in Op::imm. PTX ISA 9.7.10 and 9.7.11.
#pragma once

#include <bit>
#include <cstdint>

namespace pegasus::software {

// a1d, a2d and acube are layered.
enum class Geometry : std::uint8_t { d1, d2, d3, a1d, a2d, cube, acube };

[[nodiscard]] constexpr bool has_layer(Geometry g) {
  return g == Geometry::a1d || g == Geometry::a2d || g == Geometry::acube;
}
[[nodiscard]] constexpr bool is_cube(Geometry g) { return g == Geometry::cube || g == Geometry::acube; }
// Coordinates, without the layer.
[[nodiscard]] constexpr std::uint32_t coordinates_of(Geometry g) {
  switch (g) {
  case Geometry::d1:
  case Geometry::a1d:
    return 1;
  case Geometry::d2:
  case Geometry::a2d:
    return 2;
  default:
    return 3;
  }
}

// tex and tld4. Op::a is the handle. Op::extra has the destinations, the layer if there is one, the coordinates, then
// one level, or derivatives by x and by y, then offsets.
struct TextureForm {
  enum class Level : std::uint8_t { base, given, from_gradients };
  enum class Result : std::uint8_t { words, halves, pairs }; // four of 32 bits, four of 16, two of two halves
  static constexpr std::uint8_t no_channel = 4;

  Geometry geometry = Geometry::d1;
  Level level = Level::base;
  Result result = Result::words;
  std::uint8_t gathered = no_channel; // tld4: which channel
  bool integer_coordinates = false;   // and level
  bool offset = false;
  std::uint8_t unused[2]{};
};

// suld and sust. Op::a is the handle. Op::extra has the values, Op::count of them, the layer if there is one, and the
// coordinates.
struct SurfaceForm {
  enum class Beyond : std::uint8_t { trap, clamp, zero }; // what an access out of range does

  Geometry geometry = Geometry::d1;
  Beyond beyond = Beyond::trap;
  std::uint8_t element_bytes = 4;
  std::uint8_t register_bytes = 4; // of a value
  bool formatted = false;          // sust.p
  std::uint8_t unused[3]{};
};

// txq and suq. Op::a is the handle, Op::b the level or none.
enum class TextureQuery : std::uint8_t {
  width,
  height,
  depth,
  channel_data_type,
  channel_order,
  normalized_coordinates,
  unnormalized_coordinates,
  filter_mode,
  address_mode_0,
  address_mode_1,
  address_mode_2,
  array_size,
  levels,
  samples,
  memory_layout,
};

template <class Form> [[nodiscard]] std::uint64_t packed(Form const& form) {
  return std::bit_cast<std::uint64_t>(form);
}
template <class Form> [[nodiscard]] Form unpacked(std::uint64_t imm) { return std::bit_cast<Form>(imm); }

} // namespace pegasus::software
