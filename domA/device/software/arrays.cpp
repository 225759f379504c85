// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/arrays.h"

#include "domA/device/array_levels.h"

#include <iterator>
#include <utility>

namespace pegasus::software {
namespace {

TexelStore without_levels(device::ArrayShape const& shape) {
  bool const slices_are_layers = shape.layered || shape.cubemap;
  std::uint32_t const dimensions = shape.height == 0 ? 1 : slices_are_layers || shape.depth == 0 ? 2 : 3;
  return {.texel = shape.texel, .dimensions = dimensions, .layered = shape.layered, .cubemap = shape.cubemap};
}

TexelPlane plane_of(device::ArrayShape const& shape, Address base, std::uint32_t level) {
  pegasus_array_level const at = device::level_of(shape, level);
  return {.base = base + at.offset,
          .width = at.width,
          .height = at.height,
          .slices = at.slices,
          .row_bytes = at.row_bytes,
          .slice_bytes = at.row_bytes * at.height};
}

TexelStore linear_memory(device::TextureSource const& source) {
  std::uint64_t const texels = source.bytes / source.texel.bytes();
  TexelStore store{.texel = source.texel, .dimensions = 1, .linear = true};
  store.levels = {
      {.base = source.address, .width = texels, .row_bytes = source.bytes, .slice_bytes = source.bytes}};
  return store;
}

// The bytes behind the last row's texels are not read.
TexelStore rows_of_memory(device::TextureSource const& source) {
  TexelStore store{.texel = source.texel, .dimensions = 2};
  store.levels = {{.base = source.address,
                   .width = source.width,
                   .height = source.height,
                   .row_bytes = source.pitch,
                   .slice_bytes = (source.height - 1) * source.pitch + source.width * source.texel.bytes()}};
  return store;
}

TexelStore one_level(device::ArrayShape const& shape, Address base, std::uint32_t level) {
  TexelStore store = without_levels(shape);
  store.levels = {plane_of(shape, base, level)};
  return store;
}

} // namespace

device::Status Arrays::create(device::ArrayShape const& shape, Address& base) {
  if (arrays_.size() >= most_objects) return Status::out_of_memory;
  Status const status = memory_.task.allocate(device::bytes_of(shape), base);
  if (status == Status::success) arrays_.insert_or_assign(base, shape);
  return status;
}

device::Status Arrays::destroy(Address base) {
  if (arrays_.erase(base) == 0) return Status::invalid_value;
  return memory_.task.free(base);
}

std::optional<TexelStore> Arrays::whole_array(Address base) const {
  auto const found = arrays_.find(base);
  if (found == arrays_.end()) return std::nullopt;
  TexelStore store = without_levels(found->second);
  for (std::uint32_t level = 0; level < found->second.levels; ++level)
    store.levels.push_back(plane_of(found->second, base, level));
  return store;
}

std::optional<Arrays::LevelPlace> Arrays::find_level(Address level) const {
  auto const behind = arrays_.upper_bound(level);
  if (behind == arrays_.begin()) return std::nullopt;
  auto const& [base, shape] = *std::prev(behind);
  std::uint32_t const number = device::level_at(shape, level - base);
  if (number == shape.levels) return std::nullopt;
  return LevelPlace{base, shape, number};
}

std::optional<TexelStore> Arrays::in_memory(TexelStore store) const {
  TexelPlane const& plane = store.levels.front();
  if (memory_.space.resolve(plane.base, plane.slice_bytes) == nullptr) return std::nullopt;
  return store;
}

std::optional<TexelStore> Arrays::store_of(device::TextureSource const& source) const {
  using Kind = device::TextureSource::Kind;
  switch (source.kind) {
  case Kind::level: {
    auto const at = find_level(source.address);
    return at ? std::optional(one_level(at->shape, at->base, at->level)) : std::nullopt;
  }
  case Kind::mipmap:
    return whole_array(source.address);
  case Kind::linear:
    return in_memory(linear_memory(source));
  case Kind::pitched:
    return in_memory(rows_of_memory(source));
  }
  return std::nullopt;
}

device::Status Arrays::create_texture(device::TextureSource const& source, device::Sampling const& sampling,
                                      std::uint64_t& texture) {
  if (textures_.count() >= most_objects) return Status::out_of_memory;
  auto store = store_of(source);
  if (!store) return Status::invalid_value;
  texture = textures_.add({std::move(*store), sampling});
  return Status::success;
}

device::Status Arrays::destroy_texture(std::uint64_t texture) {
  return textures_.remove(texture) ? Status::success : Status::invalid_value;
}

device::Status Arrays::create_surface(Address level, std::uint64_t& surface) {
  if (textures_.count() >= most_objects) return Status::out_of_memory;
  auto const at = find_level(level);
  if (!at || !at->shape.surface) return Status::invalid_value;
  surface = textures_.add_surface(one_level(at->shape, at->base, at->level));
  return Status::success;
}

device::Status Arrays::destroy_surface(std::uint64_t surface) {
  return textures_.remove_surface(surface) ? Status::success : Status::invalid_value;
}

} // namespace pegasus::software
