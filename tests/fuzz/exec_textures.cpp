// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/exec_textures.h"

#include "tests/fuzz/ptx_texture.h"
#include "tests/fuzz/require.h"

#include <algorithm>

namespace pegasus::fuzz {
namespace {

using device::AddressMode;
using device::Filter;
using device::TexelFormat;

// Levels of half the size each, one behind the other.
software::TexelStore store(device::Address at, device::Texel texel, unsigned dimensions, unsigned levels) {
  software::TexelStore s;
  s.texel = texel;
  s.dimensions = dimensions;
  for (std::uint64_t size = 4; levels > 0; --levels, size = std::max<std::uint64_t>(size / 2, 1)) {
    software::TexelPlane p{.base = at, .width = size};
    p.row_bytes = p.slice_bytes = size * texel.bytes();
    if (dimensions > 1) p.height = size;
    p.slice_bytes = p.row_bytes * p.height;
    if (dimensions > 2) p.slices = 6;
    at += p.slice_bytes * p.slices;
    s.levels.push_back(p);
  }
  return s;
}

device::Sampling sampling(unsigned n) {
  device::Sampling s;
  for (unsigned k = 0; k < 3; ++k)
    s.address[k] = static_cast<AddressMode>((n + k) % 4);
  s.filter = n % 2 != 0 ? Filter::linear : Filter::point;
  s.mipmap_filter = n % 4 > 1 ? Filter::linear : Filter::point;
  s.normalized_coordinates = n % 3 != 0;
  s.srgb = n == 5;
  s.seamless_cubemap = n > 3;
  s.mipmap_bias = 0.25f;
  s.mipmap_most = 2.5f;
  s.border = {0.5f, -1, 2, 3};
  return s;
}

} // namespace

void add_textures(software::Textures& to, device::Address at) {
  constexpr device::Texel texels[] = {{TexelFormat::f32, 1}, {TexelFormat::u8, 4},  {TexelFormat::s8, 2},
                                      {TexelFormat::f16, 2}, {TexelFormat::u16, 1}, {TexelFormat::u8, 4},
                                      {TexelFormat::s32, 1}};
  unsigned n = 0;
  for (device::Texel const& texel : texels) {
    software::Texture t{store(at, texel, n % 3 + 1, 1 + n % 4), sampling(n)};
    t.store.layered = t.store.cubemap = n % 3 == 2;
    static_cast<void>(to.add(t));
    ++n;
  }
  software::Texture linear{store(at, {TexelFormat::f32, 4}, 1, 1), {}};
  linear.store.linear = true;
  require(to.add(linear) == named_textures);
  require(to.add_surface(store(at, {TexelFormat::u8, 4}, 3, 1)) == read_surface);
  require(to.add_surface(store(at + texel_bytes / 2, {TexelFormat::u8, 4}, 3, 1)) == written_surface);
}

} // namespace pegasus::fuzz
