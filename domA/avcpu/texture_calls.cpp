// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/texture_calls.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace pegasus::avcpu {
namespace {

using device::AddressMode;
using device::Filter;
using device::TexelFormat;

std::optional<device::Texel> checked_texel(std::uint8_t format, std::uint8_t channels) {
  constexpr TexelFormat formats[] = {TexelFormat::u8,  TexelFormat::u16, TexelFormat::u32, TexelFormat::s8,
                                     TexelFormat::s16, TexelFormat::s32, TexelFormat::f16, TexelFormat::f32};
  auto const known = static_cast<TexelFormat>(format);
  if (std::ranges::find(formats, known) == std::end(formats)) return std::nullopt;
  if (channels != 1 && channels != 2 && channels != 4) return std::nullopt;
  return device::Texel{known, channels};
}

std::uint32_t levels_possible(pegasus_array_shape const& shape) {
  std::uint32_t const depth = (shape.flags & PEGASUS_ARRAY_LAYERED) != 0 ? 0 : shape.depth;
  std::uint32_t largest = std::max({shape.width, shape.height, depth});
  std::uint32_t levels = 1;
  for (; largest > 1; largest /= 2)
    ++levels;
  return levels;
}

bool extents_are_right(pegasus_array_shape const& shape) {
  bool const layered = (shape.flags & PEGASUS_ARRAY_LAYERED) != 0;
  if (std::max({shape.width, shape.height, shape.depth}) > PEGASUS_ARRAY_EXTENT_MAX || shape.width == 0)
    return false;
  if ((shape.flags & PEGASUS_ARRAY_CUBEMAP) != 0)
    return shape.width == shape.height &&
           (layered ? shape.depth != 0 && shape.depth % 6 == 0 : shape.depth == 6);
  return layered ? shape.depth != 0 : shape.height != 0 || shape.depth == 0;
}

std::optional<device::ArrayShape> checked(pegasus_array_shape const& from) {
  constexpr std::uint32_t all =
      PEGASUS_ARRAY_LAYERED | PEGASUS_ARRAY_SURFACE | PEGASUS_ARRAY_CUBEMAP | PEGASUS_ARRAY_GATHER;
  auto const texel = checked_texel(from.format, from.channels);
  if (!texel || (from.flags & ~all) != 0 || !extents_are_right(from)) return std::nullopt;
  if (from.levels == 0 || from.levels > levels_possible(from)) return std::nullopt;
  return device::ArrayShape{.width = from.width,
                            .height = from.height,
                            .depth = from.depth,
                            .texel = *texel,
                            .layered = (from.flags & PEGASUS_ARRAY_LAYERED) != 0,
                            .cubemap = (from.flags & PEGASUS_ARRAY_CUBEMAP) != 0,
                            .surface = (from.flags & PEGASUS_ARRAY_SURFACE) != 0,
                            .gather = (from.flags & PEGASUS_ARRAY_GATHER) != 0,
                            .levels = from.levels};
}

std::optional<device::TextureSource> checked_source(pegasus_texture_create_request const& from) {
  using Kind = device::TextureSource::Kind;
  if (from.source < PEGASUS_TEXTURE_LEVEL || from.source > PEGASUS_TEXTURE_PITCHED) return std::nullopt;
  device::TextureSource source{.kind = static_cast<Kind>(from.source), .address = from.address};
  if (source.kind == Kind::level || source.kind == Kind::mipmap) return source;
  auto const texel = checked_texel(from.format, from.channels);
  if (!texel) return std::nullopt;
  source.texel = *texel;
  if (source.kind == Kind::linear) {
    source.bytes = from.bytes;
    return from.bytes >= texel->bytes() ? std::optional(source) : std::nullopt;
  }
  source.pitch = from.pitch;
  source.width = from.width;
  source.height = from.height;
  bool const rows_fit = std::uint64_t{from.width} * texel->bytes() <= from.pitch;
  // Nothing that is computed from these overflows.
  bool const bounded = std::max(from.width, from.height) <= PEGASUS_ARRAY_EXTENT_MAX &&
                       from.pitch <= std::numeric_limits<std::uint32_t>::max();
  return from.width != 0 && from.height != 0 && rows_fit && bounded ? std::optional(source) : std::nullopt;
}

std::optional<device::Sampling> checked_sampling(pegasus_texture_create_request const& from) {
  constexpr std::uint32_t all = PEGASUS_SAMPLING_INTEGERS | PEGASUS_SAMPLING_NORMALIZED |
                                PEGASUS_SAMPLING_SRGB | PEGASUS_SAMPLING_SEAMLESS;
  constexpr auto last_mode = static_cast<std::uint8_t>(AddressMode::border);
  constexpr auto last_filter = static_cast<std::uint8_t>(Filter::linear);
  if ((from.flags & ~all) != 0 || from.filter > last_filter || from.mipmap_filter > last_filter ||
      std::ranges::any_of(from.address_mode, [](std::uint8_t mode) { return mode > last_mode; }))
    return std::nullopt;
  device::Sampling sampling;
  for (std::size_t i = 0; i < sampling.address.size(); ++i)
    sampling.address[i] = static_cast<AddressMode>(from.address_mode[i]);
  sampling.filter = static_cast<Filter>(from.filter);
  sampling.mipmap_filter = static_cast<Filter>(from.mipmap_filter);
  sampling.normalized_coordinates = (from.flags & PEGASUS_SAMPLING_NORMALIZED) != 0;
  sampling.reads_integers = (from.flags & PEGASUS_SAMPLING_INTEGERS) != 0;
  sampling.srgb = (from.flags & PEGASUS_SAMPLING_SRGB) != 0;
  sampling.seamless_cubemap = (from.flags & PEGASUS_SAMPLING_SEAMLESS) != 0;
  sampling.max_anisotropy = from.max_anisotropy;
  sampling.mipmap_bias = from.mipmap_bias;
  sampling.mipmap_least = from.mipmap_least;
  sampling.mipmap_most = from.mipmap_most;
  std::ranges::copy(from.border, sampling.border.begin());
  return sampling;
}

} // namespace

Status TextureCalls::on(pegasus_array_create_request const& request, Data const&,
                        pegasus_array_create_reply& reply) {
  auto const shape = checked(request.shape);
  return shape ? objects_.context().create_array(*shape, reply.address) : Status::invalid_value;
}

Status TextureCalls::on(pegasus_array_destroy_request const& request, Data const&,
                        pegasus_array_destroy_reply&) {
  return objects_.context().destroy_array(request.address);
}

Status TextureCalls::on(pegasus_texture_create_request const& request, Data const&,
                        pegasus_texture_create_reply& reply) {
  auto const source = checked_source(request);
  auto const sampling = checked_sampling(request);
  if (!source || !sampling) return Status::invalid_value;
  return objects_.context().create_texture(*source, *sampling, reply.texture);
}

Status TextureCalls::on(pegasus_texture_destroy_request const& request, Data const&,
                        pegasus_texture_destroy_reply&) {
  return objects_.context().destroy_texture(request.texture);
}

Status TextureCalls::on(pegasus_surface_create_request const& request, Data const&,
                        pegasus_surface_create_reply& reply) {
  return objects_.context().create_surface(request.address, reply.surface);
}

Status TextureCalls::on(pegasus_surface_destroy_request const& request, Data const&,
                        pegasus_surface_destroy_reply&) {
  return objects_.context().destroy_surface(request.surface);
}

} // namespace pegasus::avcpu
