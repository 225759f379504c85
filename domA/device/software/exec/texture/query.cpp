// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/texture/query.h"

#include "domA/device/software/exec/texture/texel_values.h"

#include <algorithm>
#include <limits>

namespace pegasus::software {
namespace {

using device::TexelFormat;

std::uint32_t data_type(device::Texel texel, device::Sampling const* sampling) {
  bool const fractions = sampling != nullptr && reads_floats(texel, *sampling);
  switch (texel.format) {
  case TexelFormat::s8:
    return fractions ? 0x10d0 : 0x10d7;
  case TexelFormat::s16:
    return fractions ? 0x10d1 : 0x10d8;
  case TexelFormat::u8:
    return fractions ? 0x10d2 : 0x10da;
  case TexelFormat::u16:
    return fractions ? 0x10d3 : 0x10db;
  case TexelFormat::s32:
    return 0x10d9;
  case TexelFormat::u32:
    return 0x10dc;
  case TexelFormat::f16:
    return 0x10dd;
  default:
    return 0x10de;
  }
}

// wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border.
std::uint32_t address_mode(device::AddressMode mode) {
  switch (mode) {
  case device::AddressMode::wrap:
    return 0;
  case device::AddressMode::mirror:
    return 1;
  case device::AddressMode::clamp:
    return 3;
  default:
    return 4;
  }
}

std::uint32_t narrowed(std::uint64_t v) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(v, std::numeric_limits<std::uint32_t>::max()));
}

std::uint32_t of_plane(TextureQuery query, TexelStore const& store, TexelPlane const& plane) {
  switch (query) {
  case TextureQuery::width:
    return narrowed(plane.width);
  case TextureQuery::height:
    return narrowed(plane.height);
  case TextureQuery::depth:
    return store.dimensions == 3 ? narrowed(plane.slices) : 1;
  default:
    return store.layered ? narrowed(plane.slices / (store.cubemap ? 6 : 1)) : 1;
  }
}

std::uint32_t of_sampling(TextureQuery query, device::Sampling const& sampling) {
  switch (query) {
  case TextureQuery::normalized_coordinates:
    return sampling.normalized_coordinates ? 1 : 0;
  case TextureQuery::unnormalized_coordinates:
    return sampling.normalized_coordinates ? 0 : 1;
  case TextureQuery::filter_mode:
    return sampling.filter == device::Filter::linear ? 1 : 0;
  case TextureQuery::address_mode_0:
    return address_mode(sampling.address[0]);
  case TextureQuery::address_mode_1:
    return address_mode(sampling.address[1]);
  default:
    return address_mode(sampling.address[2]);
  }
}

} // namespace

std::uint32_t answer(TextureQuery query, TexelStore const& store, device::Sampling const* sampling,
                     std::size_t level) {
  switch (query) {
  case TextureQuery::width:
  case TextureQuery::height:
  case TextureQuery::depth:
  case TextureQuery::array_size:
    return level < store.levels.size() ? of_plane(query, store, store.levels[level]) : 0;
  case TextureQuery::channel_data_type:
    return data_type(store.texel, sampling);
  case TextureQuery::channel_order: // R, RG, RGBA
    return store.texel.channels == 1 ? 0x10b0 : store.texel.channels == 2 ? 0x10b2 : 0x10b5;
  case TextureQuery::levels:
    return narrowed(store.levels.size());
  case TextureQuery::samples:
    return 1;
  case TextureQuery::memory_layout: // 1: rows of memory
    return store.linear ? 1 : 0;
  default:
    return sampling != nullptr ? of_sampling(query, *sampling) : 0;
  }
}

} // namespace pegasus::software
