// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/textures.h"

#include <algorithm>
#include <cmath>

namespace pegasus::cuda {
namespace {

using Kind = device::TextureSource::Kind;

CUDA_TEXTURE_DESC descriptor_of(device::Sampling const& sampling) {
  CUDA_TEXTURE_DESC descriptor{};
  for (std::size_t i = 0; i < sampling.address.size(); ++i)
    descriptor.addressMode[i] = static_cast<CUaddress_mode>(sampling.address[i]);
  descriptor.filterMode = static_cast<CUfilter_mode>(sampling.filter);
  descriptor.flags = (sampling.reads_integers ? CU_TRSF_READ_AS_INTEGER : 0u) |
                     (sampling.normalized_coordinates ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
                     (sampling.srgb ? CU_TRSF_SRGB : 0u) |
                     (sampling.seamless_cubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u);
  descriptor.maxAnisotropy = sampling.max_anisotropy;
  descriptor.mipmapFilterMode = static_cast<CUfilter_mode>(sampling.mipmap_filter);
  descriptor.mipmapLevelBias = sampling.mipmap_bias;
  descriptor.minMipmapLevelClamp = sampling.mipmap_least;
  descriptor.maxMipmapLevelClamp = sampling.mipmap_most;
  std::ranges::copy(sampling.border, descriptor.borderColor);
  return descriptor;
}

// The driver converts these to fixed-point numbers.
bool are_numbers(device::Sampling const& sampling) {
  return !std::isnan(sampling.mipmap_bias) && !std::isnan(sampling.mipmap_least) &&
         !std::isnan(sampling.mipmap_most);
}

CUDA_RESOURCE_DESC resource_of(CUarray array) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  return resource;
}

CUDA_RESOURCE_DESC in_memory(device::TextureSource const& source) {
  CUDA_RESOURCE_DESC resource{};
  auto const format = static_cast<CUarray_format>(source.texel.format);
  if (source.kind == Kind::linear) {
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = source.address;
    resource.res.linear.format = format;
    resource.res.linear.numChannels = source.texel.channels;
    resource.res.linear.sizeInBytes = source.bytes;
  } else {
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D.devPtr = source.address;
    resource.res.pitch2D.format = format;
    resource.res.pitch2D.numChannels = source.texel.channels;
    resource.res.pitch2D.width = source.width;
    resource.res.pitch2D.height = source.height;
    resource.res.pitch2D.pitchInBytes = source.pitch;
  }
  return resource;
}

} // namespace

std::optional<CUDA_RESOURCE_DESC> DriverTextures::resource_of(device::TextureSource const& source) const {
  if (source.kind == Kind::level) {
    auto const at = arrays_.at(source.address);
    return at && at->offset == 0 ? std::optional(cuda::resource_of(at->level->handle)) : std::nullopt;
  }
  if (source.kind == Kind::mipmap) {
    DriverArray const* const array = arrays_.find(source.address);
    if (array == nullptr) return std::nullopt;
    // Of one level, it reads the same as a texture of that level.
    if (array->mipmap == nullptr) return cuda::resource_of(array->levels.front().handle);
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = array->mipmap;
    return resource;
  }
  device::Rect rect{source.address, 0, source.bytes, 1};
  if (source.kind == Kind::pitched) {
    rect = {source.address, source.pitch, 0, source.height};
    if (__builtin_mul_overflow(source.width, std::uint64_t{source.texel.bytes()}, &rect.row_bytes))
      return std::nullopt;
  }
  bool const is_something = rect.row_bytes != 0 && rect.rows != 0;
  return is_something && ranges_.contain(rect) ? std::optional(in_memory(source)) : std::nullopt;
}

device::Status DriverTextures::create(device::TextureSource const& source, device::Sampling const& sampling,
                                      std::uint64_t& texture) {
  if (driver_.cuTexObjectCreate == nullptr || driver_.cuTexObjectDestroy == nullptr)
    return Status::not_supported;
  auto const resource = resource_of(source);
  if (!resource || !are_numbers(sampling)) return Status::invalid_value;
  if (full()) return Status::out_of_memory;
  CUDA_TEXTURE_DESC const descriptor = descriptor_of(sampling);
  CUtexObject made = 0;
  CUresult result = driver_.cuTexObjectCreate(&made, &*resource, &descriptor, nullptr);
  if (result == CUDA_SUCCESS && !textures_.insert(made).second) result = CUDA_ERROR_UNKNOWN;
  if (result == CUDA_SUCCESS) texture = made;
  return state_.answer(submitted(result));
}

device::Status DriverTextures::destroy(std::uint64_t texture) {
  if (textures_.erase(texture) == 0) return Status::invalid_value;
  return state_.answer(submitted(driver_.cuTexObjectDestroy(texture)));
}

device::Status DriverTextures::create_surface(device::Address level, std::uint64_t& surface) {
  if (driver_.cuSurfObjectCreate == nullptr || driver_.cuSurfObjectDestroy == nullptr)
    return Status::not_supported;
  auto const at = arrays_.at(level);
  if (!at || at->offset != 0 || !at->array->shape.surface) return Status::invalid_value;
  if (full()) return Status::out_of_memory;
  CUDA_RESOURCE_DESC const resource = cuda::resource_of(at->level->handle);
  CUsurfObject made = 0;
  CUresult result = driver_.cuSurfObjectCreate(&made, &resource);
  if (result == CUDA_SUCCESS && !surfaces_.insert(made).second) result = CUDA_ERROR_UNKNOWN;
  if (result == CUDA_SUCCESS) surface = made;
  return state_.answer(submitted(result));
}

device::Status DriverTextures::destroy_surface(std::uint64_t surface) {
  if (surfaces_.erase(surface) == 0) return Status::invalid_value;
  return state_.answer(submitted(driver_.cuSurfObjectDestroy(surface)));
}

void DriverTextures::close() {
  for (CUtexObject const texture : textures_)
    driver_.cuTexObjectDestroy(texture);
  for (CUsurfObject const surface : surfaces_)
    driver_.cuSurfObjectDestroy(surface);
  textures_.clear();
  surfaces_.clear();
}

} // namespace pegasus::cuda
