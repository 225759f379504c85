// SPDX-License-Identifier: Apache-2.0
// CUDA Runtime API, "Memory Management": arrays and mipmapped arrays.
#include "frontend/cudart/array.h"

namespace pegasus::cudart {
namespace {

static_assert(cudaArrayLayered == CUDA_ARRAY3D_LAYERED &&
              cudaArraySurfaceLoadStore == CUDA_ARRAY3D_SURFACE_LDST &&
              cudaArrayCubemap == CUDA_ARRAY3D_CUBEMAP &&
              cudaArrayTextureGather == CUDA_ARRAY3D_TEXTURE_GATHER);

cudaError_t describe(cudaChannelFormatDesc const* texel, cudaExtent const& extent, unsigned flags,
                     CUDA_ARRAY3D_DESCRIPTOR& description) {
  if (texel == nullptr) return cudaErrorInvalidValue;
  TexelFormat format{};
  if (cudaError_t const error = convert(*texel, format); error != cudaSuccess) return error;
  description = {extent.width, extent.height, extent.depth, format.format, format.channels, flags};
  return cudaSuccess;
}

cudaError_t create(cudaArray_t* array, cudaChannelFormatDesc const* texel, cudaExtent const& extent,
                   unsigned flags) {
  if (array == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUDA_ARRAY3D_DESCRIPTOR description{};
    if (cudaError_t const error = describe(texel, extent, flags, description); error != cudaSuccess)
      return error;
    CUarray handle = nullptr;
    CUresult const result = driver.cuArray3DCreate_v2(&handle, &description);
    if (result == CUDA_SUCCESS) *array = runtime_array(handle);
    return from_driver(result);
  });
}

cudaError_t describe(Driver const& driver, cudaArray_const_t array, CUDA_ARRAY3D_DESCRIPTOR& description) {
  return from_driver(driver.cuArray3DGetDescriptor_v2(&description, driver_array(array)));
}

TexelFormat texel_of(CUDA_ARRAY3D_DESCRIPTOR const& description) {
  return {description.Format, description.NumChannels};
}

} // namespace

cudaError_t convert(cudaChannelFormatDesc const& from, TexelFormat& to) {
  if (from.f > cudaChannelFormatKindNone) return cudaErrorNotSupported;
  bool const two = from.y != 0, four = from.z != 0 || from.w != 0;
  bool const alike = (!two || from.y == from.x) && (!four || (two && from.z == from.x && from.w == from.x));
  if (!alike || from.f == cudaChannelFormatKindNone) return cudaErrorInvalidChannelDescriptor;
  to.channels = four ? 4 : two ? 2 : 1;
  bool const is_signed = from.f == cudaChannelFormatKindSigned,
             is_float = from.f == cudaChannelFormatKindFloat;
  switch (from.x) {
  case 8:
    to.format = is_signed ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8;
    return is_float ? cudaErrorInvalidChannelDescriptor : cudaSuccess;
  case 16:
    to.format = is_float    ? CU_AD_FORMAT_HALF
                : is_signed ? CU_AD_FORMAT_SIGNED_INT16
                            : CU_AD_FORMAT_UNSIGNED_INT16;
    return cudaSuccess;
  case 32:
    to.format = is_float    ? CU_AD_FORMAT_FLOAT
                : is_signed ? CU_AD_FORMAT_SIGNED_INT32
                            : CU_AD_FORMAT_UNSIGNED_INT32;
    return cudaSuccess;
  default:
    return cudaErrorInvalidChannelDescriptor;
  }
}

cudaChannelFormatDesc convert(TexelFormat from) {
  int const bits = static_cast<int>(8 * bytes_of({from.format, 1}));
  bool const is_float = from.format == CU_AD_FORMAT_HALF || from.format == CU_AD_FORMAT_FLOAT;
  bool const is_signed = from.format == CU_AD_FORMAT_SIGNED_INT8 ||
                         from.format == CU_AD_FORMAT_SIGNED_INT16 || from.format == CU_AD_FORMAT_SIGNED_INT32;
  cudaChannelFormatKind const kind = is_float    ? cudaChannelFormatKindFloat
                                     : is_signed ? cudaChannelFormatKindSigned
                                                 : cudaChannelFormatKindUnsigned;
  int const second = from.channels > 1 ? bits : 0, last = from.channels > 2 ? bits : 0;
  return {bits, second, last, last, kind};
}

std::size_t bytes_of(TexelFormat texel) {
  switch (texel.format) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT8:
    return texel.channels;
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_HALF:
    return std::size_t{2} * texel.channels;
  default:
    return std::size_t{4} * texel.channels;
  }
}

cudaError_t texel_bytes_of(Driver const& driver, cudaArray_const_t array, std::size_t& bytes) {
  CUDA_ARRAY3D_DESCRIPTOR description{};
  cudaError_t const error = describe(driver, array, description);
  if (error == cudaSuccess) bytes = bytes_of(texel_of(description));
  return error;
}

} // namespace pegasus::cudart

using namespace pegasus::cudart;

PEGASUS_API cudaError_t cudaMallocArray(cudaArray_t* array, cudaChannelFormatDesc const* texel,
                                        std::size_t width, std::size_t height, unsigned flags) {
  return create(array, texel, {width, height, 0}, flags);
}

PEGASUS_API cudaError_t cudaMalloc3DArray(cudaArray_t* array, cudaChannelFormatDesc const* texel,
                                          cudaExtent extent, unsigned flags) {
  return create(array, texel, extent, flags);
}

PEGASUS_API cudaError_t cudaFreeArray(cudaArray_t array) {
  return with_context([&](Driver const& driver) {
    return array == nullptr ? CUDA_SUCCESS : driver.cuArrayDestroy(driver_array(array));
  });
}

PEGASUS_API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array,
                                                 cudaChannelFormatDesc const* texel, cudaExtent extent,
                                                 unsigned levels, unsigned flags) {
  if (array == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUDA_ARRAY3D_DESCRIPTOR description{};
    if (cudaError_t const error = describe(texel, extent, flags, description); error != cudaSuccess)
      return error;
    CUmipmappedArray handle = nullptr;
    CUresult const result = driver.cuMipmappedArrayCreate(&handle, &description, levels);
    if (result == CUDA_SUCCESS) *array = runtime_mipmap(handle);
    return from_driver(result);
  });
}

PEGASUS_API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  return with_context([&](Driver const& driver) {
    return array == nullptr ? CUDA_SUCCESS : driver.cuMipmappedArrayDestroy(driver_mipmap(array));
  });
}

PEGASUS_API cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level, cudaMipmappedArray_const_t array,
                                                   unsigned number) {
  if (level == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUarray handle = nullptr;
    CUresult const result = driver.cuMipmappedArrayGetLevel(&handle, driver_mipmap(array), number);
    if (result == CUDA_SUCCESS) *level = runtime_array(handle);
    return result;
  });
}

PEGASUS_API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* texel, cudaExtent* extent, unsigned* flags,
                                         cudaArray_t array) {
  return with_context([&](Driver const& driver) {
    CUDA_ARRAY3D_DESCRIPTOR description{};
    if (cudaError_t const error = describe(driver, array, description); error != cudaSuccess) return error;
    if (texel != nullptr) *texel = convert(texel_of(description));
    if (extent != nullptr) *extent = {description.Width, description.Height, description.Depth};
    if (flags != nullptr) *flags = description.Flags;
    return cudaSuccess;
  });
}

PEGASUS_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* texel, cudaArray_const_t array) {
  if (texel == nullptr) return finish(cudaErrorInvalidValue);
  return cudaArrayGetInfo(texel, nullptr, nullptr, const_cast<cudaArray_t>(array));
}

PEGASUS_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                        cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
