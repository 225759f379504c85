// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/texture.h"

#include "frontend/cuda/array.h"
#include "frontend/cuda/memory_table.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace pegasus::driver {
namespace {

constexpr unsigned sampling_flags = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
                                    CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP;

CUresult destroy_object(Channel& channel, std::uint64_t handle, bool surface) {
  return surface ? ask(channel, pegasus_surface_destroy_request{handle}).status
                 : ask(channel, pegasus_texture_destroy_request{handle}).status;
}

// What a texture is made of, as the worker is told; `texel` and `extents` for the checks of views.
struct Source {
  pegasus_texture_create_request request{};
  TexelFormat texel{};
  CUDA_ARRAY3D_DESCRIPTOR extents{};
  unsigned levels = 1;
};

void set_memory(Source& source, pegasus_texture_source kind, CUdeviceptr address, TexelFormat texel) {
  source.texel = texel;
  source.request.source = static_cast<std::uint8_t>(kind);
  source.request.address = address;
  source.request.format = static_cast<std::uint8_t>(texel.format);
  source.request.channels = static_cast<std::uint8_t>(texel.channels);
}

CUresult from_array(Source& source, CUarray handle) {
  Array const* const array = find<Array>(handle);
  if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  source.request.source = PEGASUS_TEXTURE_LEVEL;
  source.request.address = array->address;
  source.texel = texel_of(array->description);
  source.extents = array->description;
  return CUDA_SUCCESS;
}

CUresult from_mipmap(Source& source, CUmipmappedArray handle) {
  MipmappedArray const* const array = find<MipmappedArray>(handle);
  if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  source.request.source = PEGASUS_TEXTURE_MIPMAP;
  source.request.address = array->address;
  source.texel = texel_of(array->description);
  source.extents = array->description;
  source.levels = static_cast<unsigned>(array->levels.size());
  return CUDA_SUCCESS;
}

CUresult from_linear(Channel& channel, Source& source, CUDA_RESOURCE_DESC const& resource) {
  auto const& linear = resource.res.linear;
  TexelFormat const texel{linear.format, linear.numChannels};
  if (CUresult const status = check_format(texel); status != CUDA_SUCCESS) return status;
  auto const most = std::max(attribute(channel, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH), 0);
  if (linear.sizeInBytes < bytes_of(texel) ||
      linear.sizeInBytes / bytes_of(texel) > static_cast<std::size_t>(most))
    return CUDA_ERROR_INVALID_VALUE;
  set_memory(source, PEGASUS_TEXTURE_LINEAR, linear.devPtr, texel);
  source.request.bytes = linear.sizeInBytes;
  source.extents.Width = linear.sizeInBytes / bytes_of(texel);
  return check_device_range(channel, linear.devPtr, linear.sizeInBytes);
}

CUresult from_rows(Channel& channel, Source& source, CUDA_RESOURCE_DESC const& resource) {
  auto const& rows = resource.res.pitch2D;
  TexelFormat const texel{rows.format, rows.numChannels};
  if (CUresult const status = check_format(texel); status != CUDA_SUCCESS) return status;
  auto const alignment = std::max(attribute(channel, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT), 1);
  auto const most_pitch = std::max(attribute(channel, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH), 0);
  if (rows.width == 0 ||
      rows.width > texels_at_most(channel, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH) ||
      rows.height == 0 ||
      rows.height > texels_at_most(channel, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT) ||
      rows.pitchInBytes > static_cast<std::size_t>(most_pitch) ||
      rows.pitchInBytes % static_cast<std::size_t>(alignment) != 0 ||
      rows.width * bytes_of(texel) > rows.pitchInBytes)
    return CUDA_ERROR_INVALID_VALUE;
  set_memory(source, PEGASUS_TEXTURE_PITCHED, rows.devPtr, texel);
  source.request.pitch = rows.pitchInBytes;
  source.request.width = static_cast<std::uint32_t>(rows.width);
  source.request.height = static_cast<std::uint32_t>(rows.height);
  source.extents.Width = rows.width;
  source.extents.Height = rows.height;
  return check_device_rows(channel, rows.devPtr, rows.pitchInBytes, rows.width * bytes_of(texel),
                           rows.height);
}

CUresult source_of(Channel& channel, CUDA_RESOURCE_DESC const& resource, Source& source) {
  switch (resource.resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    return from_array(source, resource.res.array.hArray);
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    return from_mipmap(source, resource.res.mipmap.hMipmappedArray);
  case CU_RESOURCE_TYPE_LINEAR:
    return from_linear(channel, source, resource);
  case CU_RESOURCE_TYPE_PITCH2D:
    return from_rows(channel, source, resource);
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

bool is_integer(CUarray_format format) { return format != CU_AD_FORMAT_HALF && format != CU_AD_FORMAT_FLOAT; }
bool is_wide_integer(CUarray_format format) {
  return format == CU_AD_FORMAT_UNSIGNED_INT32 || format == CU_AD_FORMAT_SIGNED_INT32;
}

CUresult set_sampling(Source& source, CUDA_TEXTURE_DESC const& sampling) {
  pegasus_texture_create_request& request = source.request;
  bool const linear = sampling.filterMode == CU_TR_FILTER_MODE_LINEAR;
  if ((sampling.flags & ~sampling_flags) != 0 || sampling.filterMode > CU_TR_FILTER_MODE_LINEAR ||
      sampling.mipmapFilterMode > CU_TR_FILTER_MODE_LINEAR ||
      std::ranges::any_of(sampling.addressMode,
                          [](CUaddress_mode mode) { return mode > CU_TR_ADDRESS_MODE_BORDER; }))
    return CUDA_ERROR_INVALID_VALUE;
  bool const integers = (sampling.flags & CU_TRSF_READ_AS_INTEGER) != 0;
  // Only what is read as floating point can be filtered.
  if (linear && request.source != PEGASUS_TEXTURE_LINEAR &&
      (is_wide_integer(source.texel.format) || (integers && is_integer(source.texel.format))))
    return CUDA_ERROR_INVALID_VALUE;
  std::ranges::copy(sampling.addressMode, request.address_mode);
  request.filter = static_cast<std::uint8_t>(sampling.filterMode);
  request.mipmap_filter = static_cast<std::uint8_t>(sampling.mipmapFilterMode);
  auto const told = [&](unsigned flag, std::uint32_t as) { return (sampling.flags & flag) != 0 ? as : 0; };
  request.flags = told(CU_TRSF_READ_AS_INTEGER, PEGASUS_SAMPLING_INTEGERS) |
                  told(CU_TRSF_NORMALIZED_COORDINATES, PEGASUS_SAMPLING_NORMALIZED) |
                  told(CU_TRSF_SRGB, PEGASUS_SAMPLING_SRGB) |
                  told(CU_TRSF_SEAMLESS_CUBEMAP, PEGASUS_SAMPLING_SEAMLESS);
  request.max_anisotropy = sampling.maxAnisotropy;
  request.mipmap_bias = sampling.mipmapLevelBias;
  request.mipmap_least = sampling.minMipmapLevelClamp;
  request.mipmap_most = sampling.maxMipmapLevelClamp;
  std::ranges::copy(sampling.borderColor, request.border);
  return CUDA_SUCCESS;
}

// CUresourceViewFormat's of a texel: eight formats in threes, each for 1, 2 and 4 channels.
unsigned view_format(TexelFormat texel) {
  constexpr CUarray_format order[] = {CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,
                                      CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
                                      CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32,
                                      CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};
  auto const format = static_cast<unsigned>(std::ranges::find(order, texel.format) - std::begin(order));
  return CU_RES_VIEW_FORMAT_UINT_1X8 + 3 * format + texel.channels / 2;
}

// A view of all that there is changes nothing; others are not supported.
CUresult check_view(Source const& source, CUDA_RESOURCE_VIEW_DESC const& view) {
  CUDA_ARRAY3D_DESCRIPTOR const& all = source.extents;
  bool const layers = (all.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
  bool const whole = (view.format == CU_RES_VIEW_FORMAT_NONE || view.format == view_format(source.texel)) &&
                     view.width == all.Width && view.height == all.Height &&
                     (layers || view.depth == all.Depth) && view.firstMipmapLevel == 0 &&
                     view.lastMipmapLevel + 1 >= source.levels && view.firstLayer == 0 &&
                     (!layers || view.lastLayer == 0 || view.lastLayer + 1 >= all.Depth);
  if (whole) return CUDA_SUCCESS;
  static bool said = false;
  say_once(said,
           "textures with a resource view other than the whole array, in its own format, are not supported");
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult create_texture(Channel& channel, Context& context, TextureObject object, CUtexObject& handle) {
  Source source;
  if (CUresult const status = source_of(channel, object.resource, source); status != CUDA_SUCCESS)
    return status;
  if (CUresult const status = set_sampling(source, object.sampling); status != CUDA_SUCCESS) return status;
  if (object.view)
    if (CUresult const status = check_view(source, *object.view); status != CUDA_SUCCESS) return status;
  auto const [status, reply] = ask(channel, source.request);
  if (status != CUDA_SUCCESS) return status;
  object.context = &context;
  handle = reply.texture;
  return textures().insert(handle, object) ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

CUresult destroy(CUtexObject handle, bool surface) {
  return with_device([&](Channel& channel) {
    return textures().erase(handle, surface) ? destroy_object(channel, handle, surface)
                                             : CUDA_ERROR_INVALID_VALUE;
  });
}

// What `part` of the object is, if there is that.
template <class Answer, class Part>
CUresult tell(Answer* answer, CUtexObject handle, bool surface, Part part) {
  return with_device([&](Channel&) {
    auto const object = textures().find(handle, surface);
    if (answer == nullptr || !object) return CUDA_ERROR_INVALID_VALUE;
    *answer = part(*object);
    return CUDA_SUCCESS;
  });
}

} // namespace

TextureTable& textures() {
  static TextureTable& table = *new TextureTable; // never destroyed, as device_memory()
  return table;
}

bool TextureTable::insert(std::uint64_t handle, TextureObject const& object) {
  std::lock_guard const lock(mutex_);
  return handle != 0 && objects_.emplace(handle, object).second;
}

std::optional<TextureObject> TextureTable::find(std::uint64_t handle, bool surface) const {
  std::lock_guard const lock(mutex_);
  auto const found = objects_.find(handle);
  return found != objects_.end() && found->second.surface == surface ? std::optional(found->second)
                                                                     : std::nullopt;
}

bool TextureTable::erase(std::uint64_t handle, bool surface) {
  std::lock_guard const lock(mutex_);
  auto const found = objects_.find(handle);
  if (found == objects_.end() || found->second.surface != surface) return false;
  objects_.erase(found);
  return true;
}

void TextureTable::destroy_all_of(Channel& channel, Context const& context) {
  std::lock_guard const lock(mutex_);
  std::erase_if(objects_, [&](auto const& entry) {
    if (entry.second.context != &context) return false;
    (void)destroy_object(channel, entry.first, entry.second.surface);
    return true;
  });
}

} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuTexObjectCreate(CUtexObject* handle, CUDA_RESOURCE_DESC const* resource,
                           CUDA_TEXTURE_DESC const* sampling, CUDA_RESOURCE_VIEW_DESC const* view) {
  return with_context([&](Channel& channel, Context& context) {
    if (handle == nullptr || resource == nullptr || sampling == nullptr || resource->flags != 0)
      return CUDA_ERROR_INVALID_VALUE;
    TextureObject object{.resource = *resource, .sampling = *sampling};
    if (view != nullptr) object.view = *view;
    return create_texture(channel, context, object, *handle);
  });
}

CUresult cuTexObjectDestroy(CUtexObject handle) { return destroy(handle, false); }

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, CUtexObject handle) {
  return tell(resource, handle, false, [](TextureObject const& object) { return object.resource; });
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* sampling, CUtexObject handle) {
  return tell(sampling, handle, false, [](TextureObject const& object) { return object.sampling; });
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* view, CUtexObject handle) {
  return with_device([&](Channel&) {
    auto const object = textures().find(handle, false);
    if (view == nullptr || !object || !object->view) return CUDA_ERROR_INVALID_VALUE;
    *view = *object->view;
    return CUDA_SUCCESS;
  });
}

CUresult cuSurfObjectCreate(CUsurfObject* handle, CUDA_RESOURCE_DESC const* resource) {
  return with_context([&](Channel& channel, Context& context) {
    if (handle == nullptr || resource == nullptr || resource->resType != CU_RESOURCE_TYPE_ARRAY)
      return CUDA_ERROR_INVALID_VALUE;
    Array const* const array = find<Array>(resource->res.array.hArray);
    if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if ((array->description.Flags & CUDA_ARRAY3D_SURFACE_LDST) == 0) return CUDA_ERROR_INVALID_VALUE;
    auto const [status, reply] = ask(channel, pegasus_surface_create_request{array->address});
    if (status != CUDA_SUCCESS) return status;
    *handle = reply.surface;
    TextureObject const object{.context = &context, .surface = true, .resource = *resource};
    return textures().insert(*handle, object) ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
  });
}

CUresult cuSurfObjectDestroy(CUsurfObject handle) { return destroy(handle, true); }

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, CUsurfObject handle) {
  return tell(resource, handle, true, [](TextureObject const& object) { return object.resource; });
}
