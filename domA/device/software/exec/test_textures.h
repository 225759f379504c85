// SPDX-License-Identifier: Apache-2.0
// For tests: texels in device memory.
#pragma once

#include "domA/device/software/exec/memory/memory.h"
#include "domA/device/software/exec/texture/textures.h"

#include <cstring>
#include <vector>

namespace pegasus::software::test {

struct Extent {
  std::uint64_t width = 1, height = 1, slices = 1;
};

// Rows and slices are not adjacent: between them are bytes that no access may read.
inline TexelPlane make_plane(Memory& memory, device::Texel texel, Extent extent, std::byte const* values) {
  TexelPlane plane;
  plane.width = extent.width;
  plane.height = extent.height;
  plane.slices = extent.slices;
  std::uint64_t const row = extent.width * texel.bytes();
  plane.row_bytes = (row + 31) / 32 * 32 + 32;
  plane.slice_bytes = plane.row_bytes * extent.height + 64;
  std::uint64_t const bytes = plane.slice_bytes * extent.slices;
  plane.base = memory.allocate(bytes);
  std::memset(memory.resolve(plane.base, bytes), 0x5a, bytes);
  for (std::uint64_t z = 0; z < extent.slices; ++z)
    for (std::uint64_t y = 0; y < extent.height; ++y)
      std::memcpy(memory.resolve(plane.base + z * plane.slice_bytes + y * plane.row_bytes, row),
                  values + (z * extent.height + y) * row, row);
  return plane;
}

template <class T>
TexelStore make_store(Memory& memory, device::Texel texel, std::uint32_t dimensions, Extent extent,
                      std::vector<T> const& values) {
  TexelStore store;
  store.texel = texel;
  store.dimensions = dimensions;
  store.levels.push_back(
      make_plane(memory, texel, extent, reinterpret_cast<std::byte const*>(values.data())));
  return store;
}

inline constexpr device::Texel one_float{device::TexelFormat::f32, 1};

// Floats that tell where they are: x + 10 y + 100 slice + 1000 level.
inline TexelPlane make_numbered(Memory& memory, Extent extent, std::uint32_t level = 0) {
  std::vector<float> values;
  for (std::uint64_t z = 0; z < extent.slices; ++z)
    for (std::uint64_t y = 0; y < extent.height; ++y)
      for (std::uint64_t x = 0; x < extent.width; ++x)
        values.push_back(static_cast<float>(x + 10 * y + 100 * z + 1000 * level));
  return make_plane(memory, one_float, extent, reinterpret_cast<std::byte const*>(values.data()));
}

inline TexelStore numbered(Memory& memory, std::uint32_t dimensions, Extent extent) {
  TexelStore store;
  store.texel = one_float;
  store.dimensions = dimensions;
  store.levels.push_back(make_numbered(memory, extent));
  return store;
}

} // namespace pegasus::software::test
