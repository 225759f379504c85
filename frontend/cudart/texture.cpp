// SPDX-License-Identifier: Apache-2.0
// CUDA Runtime API, "Texture Object Management" and "Surface Object Management": the driver's objects.
#include "frontend/cudart/array.h"

namespace pegasus::cudart {
namespace {

cudaError_t convert(cudaResourceDesc const& from, CUDA_RESOURCE_DESC& to) {
  to = {};
  TexelFormat texel{};
  switch (from.resType) {
  case cudaResourceTypeArray:
    to.resType = CU_RESOURCE_TYPE_ARRAY;
    to.res.array.hArray = driver_array(from.res.array.array);
    return cudaSuccess;
  case cudaResourceTypeMipmappedArray:
    to.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    to.res.mipmap.hMipmappedArray = driver_mipmap(from.res.mipmap.mipmap);
    return cudaSuccess;
  case cudaResourceTypeLinear: {
    auto const& linear = from.res.linear;
    to.resType = CU_RESOURCE_TYPE_LINEAR;
    if (cudaError_t const error = convert(linear.desc, texel); error != cudaSuccess) return error;
    to.res.linear = {device_address(linear.devPtr), texel.format, texel.channels, linear.sizeInBytes};
    return cudaSuccess;
  }
  case cudaResourceTypePitch2D: {
    auto const& rows = from.res.pitch2D;
    to.resType = CU_RESOURCE_TYPE_PITCH2D;
    if (cudaError_t const error = convert(rows.desc, texel); error != cudaSuccess) return error;
    to.res.pitch2D = {device_address(rows.devPtr),
                      texel.format,
                      texel.channels,
                      rows.width,
                      rows.height,
                      rows.pitchInBytes};
    return cudaSuccess;
  }
  default:
    return cudaErrorInvalidValue;
  }
}

// Only what all releases have: before CUDA 13 the struct is shorter.
void convert(CUDA_RESOURCE_DESC const& from, cudaResourceDesc& to) {
  switch (from.resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    to.resType = cudaResourceTypeArray;
    to.res.array.array = runtime_array(from.res.array.hArray);
    return;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    to.resType = cudaResourceTypeMipmappedArray;
    to.res.mipmap.mipmap = runtime_mipmap(from.res.mipmap.hMipmappedArray);
    return;
  case CU_RESOURCE_TYPE_LINEAR: {
    auto const& linear = from.res.linear;
    to.resType = cudaResourceTypeLinear;
    to.res.linear.devPtr = pointer_to(linear.devPtr);
    to.res.linear.desc = convert(TexelFormat{linear.format, linear.numChannels});
    to.res.linear.sizeInBytes = linear.sizeInBytes;
    return;
  }
  case CU_RESOURCE_TYPE_PITCH2D: {
    auto const& rows = from.res.pitch2D;
    to.resType = cudaResourceTypePitch2D;
    to.res.pitch2D.devPtr = pointer_to(rows.devPtr);
    to.res.pitch2D.desc = convert(TexelFormat{rows.format, rows.numChannels});
    to.res.pitch2D.width = rows.width;
    to.res.pitch2D.height = rows.height;
    to.res.pitch2D.pitchInBytes = rows.pitchInBytes;
    return;
  }
  }
}

CUDA_TEXTURE_DESC convert(cudaTextureDesc const& from) {
  CUDA_TEXTURE_DESC to{};
  for (int i = 0; i < 3; ++i)
    to.addressMode[i] = static_cast<CUaddress_mode>(from.addressMode[i]);
  to.filterMode = static_cast<CUfilter_mode>(from.filterMode);
  auto const flag = [&](bool set, unsigned value) { to.flags |= set ? value : 0; };
  flag(from.readMode == cudaReadModeElementType, CU_TRSF_READ_AS_INTEGER);
  flag(from.normalizedCoords != 0, CU_TRSF_NORMALIZED_COORDINATES);
  flag(from.sRGB != 0, CU_TRSF_SRGB);
  flag(from.disableTrilinearOptimization != 0, CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
  flag(from.seamlessCubemap != 0, CU_TRSF_SEAMLESS_CUBEMAP);
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<CUfilter_mode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  for (int i = 0; i < 4; ++i)
    to.borderColor[i] = from.borderColor[i];
  return to;
}

void convert(CUDA_TEXTURE_DESC const& from, cudaTextureDesc& to) {
  for (int i = 0; i < 3; ++i)
    to.addressMode[i] = static_cast<cudaTextureAddressMode>(from.addressMode[i]);
  auto const flag = [&](unsigned value) { return (from.flags & value) != 0; };
  to.filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
  to.readMode = flag(CU_TRSF_READ_AS_INTEGER) ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  to.normalizedCoords = flag(CU_TRSF_NORMALIZED_COORDINATES);
  to.sRGB = flag(CU_TRSF_SRGB);
  to.disableTrilinearOptimization = flag(CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
  to.seamlessCubemap = flag(CU_TRSF_SEAMLESS_CUBEMAP);
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  for (int i = 0; i < 4; ++i)
    to.borderColor[i] = from.borderColor[i];
}

CUDA_RESOURCE_VIEW_DESC convert(cudaResourceViewDesc const& from) {
  CUDA_RESOURCE_VIEW_DESC to{};
  to.format = static_cast<CUresourceViewFormat>(from.format); // the same numbers
  to.width = from.width;
  to.height = from.height;
  to.depth = from.depth;
  to.firstMipmapLevel = from.firstMipmapLevel;
  to.lastMipmapLevel = from.lastMipmapLevel;
  to.firstLayer = from.firstLayer;
  to.lastLayer = from.lastLayer;
  return to;
}

void convert(CUDA_RESOURCE_VIEW_DESC const& from, cudaResourceViewDesc& to) { // as for resources
  to.format = static_cast<cudaResourceViewFormat>(from.format);
  to.width = from.width;
  to.height = from.height;
  to.depth = from.depth;
  to.firstMipmapLevel = from.firstMipmapLevel;
  to.lastMipmapLevel = from.lastMipmapLevel;
  to.firstLayer = from.firstLayer;
  to.lastLayer = from.lastLayer;
}

// What `ask(Driver const&, From*)` says of an object.
template <class From, class To, class Ask> cudaError_t tell(To* to, Ask ask) {
  if (to == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    From from{};
    CUresult const result = ask(driver, &from);
    if (result == CUDA_SUCCESS) convert(from, *to);
    return result;
  });
}

} // namespace
} // namespace pegasus::cudart

using namespace pegasus::cudart;

PEGASUS_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture,
                                                cudaResourceDesc const* resource,
                                                cudaTextureDesc const* sampling,
                                                cudaResourceViewDesc const* view) {
  if (texture == nullptr || resource == nullptr || sampling == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUDA_RESOURCE_DESC source{};
    if (cudaError_t const error = convert(*resource, source); error != cudaSuccess) return error;
    CUDA_TEXTURE_DESC const how = convert(*sampling);
    CUDA_RESOURCE_VIEW_DESC const part = view == nullptr ? CUDA_RESOURCE_VIEW_DESC{} : convert(*view);
    CUtexObject handle = 0;
    CUresult const result =
        driver.cuTexObjectCreate(&handle, &source, &how, view == nullptr ? nullptr : &part);
    if (result == CUDA_SUCCESS) *texture = handle;
    return from_driver(result);
  });
}

PEGASUS_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  return with_context([&](Driver const& driver) { return driver.cuTexObjectDestroy(texture); });
}

PEGASUS_API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                                         cudaTextureObject_t texture) {
  return tell<CUDA_RESOURCE_DESC>(resource, [&](Driver const& driver, CUDA_RESOURCE_DESC* told) {
    return driver.cuTexObjectGetResourceDesc(told, texture);
  });
}

PEGASUS_API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* sampling,
                                                        cudaTextureObject_t texture) {
  return tell<CUDA_TEXTURE_DESC>(sampling, [&](Driver const& driver, CUDA_TEXTURE_DESC* told) {
    return driver.cuTexObjectGetTextureDesc(told, texture);
  });
}

PEGASUS_API cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view,
                                                             cudaTextureObject_t texture) {
  return tell<CUDA_RESOURCE_VIEW_DESC>(view, [&](Driver const& driver, CUDA_RESOURCE_VIEW_DESC* told) {
    return driver.cuTexObjectGetResourceViewDesc(told, texture);
  });
}

PEGASUS_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface,
                                                cudaResourceDesc const* resource) {
  if (surface == nullptr || resource == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUDA_RESOURCE_DESC source{};
    if (cudaError_t const error = convert(*resource, source); error != cudaSuccess) return error;
    CUsurfObject handle = 0;
    CUresult const result = driver.cuSurfObjectCreate(&handle, &source);
    if (result == CUDA_SUCCESS) *surface = handle;
    return from_driver(result);
  });
}

PEGASUS_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  return with_context([&](Driver const& driver) { return driver.cuSurfObjectDestroy(surface); });
}

PEGASUS_API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                                         cudaSurfaceObject_t surface) {
  return tell<CUDA_RESOURCE_DESC>(resource, [&](Driver const& driver, CUDA_RESOURCE_DESC* told) {
    return driver.cuSurfObjectGetResourceDesc(told, surface);
  });
}

PEGASUS_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* texels,
                                                             cudaChannelFormatDesc const*, int device) {
  if (texels == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    CUdevice handle = 0;
    int most = 0;
    if (cudaError_t const error = device_handle(driver, device, handle); error != cudaSuccess) return error;
    CUresult const result =
        driver.cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, handle);
    if (result == CUDA_SUCCESS) *texels = static_cast<std::size_t>(most);
    return from_driver(result);
  });
}
