// SPDX-License-Identifier: Apache-2.0
// A copy of a box, as the runtime API describes it and as the driver does. With an array on either side the extent's width
// is in its texels, and so is the array's x; otherwise, and for memory, they are in bytes.
#include "frontend/cudart/array.h"
#include "frontend/cudart/copy.h"

#include <initializer_list>

namespace pegasus::cudart {
namespace {

struct Side {
  cudaArray_t array;
  cudaPitchedPtr memory;
  cudaPos at;
};

bool fits(Side const& side, std::size_t width, cudaExtent const& extent) {
  std::size_t row_end = 0;
  std::size_t column_end = 0;
  if (__builtin_add_overflow(side.at.x, width, &row_end)) return false;
  if (__builtin_add_overflow(side.at.y, extent.height, &column_end)) return false;
  bool const one_slice = extent.depth == 1 && side.at.z == 0; // ysize is not needed then, and is often left 0
  return row_end <= side.memory.pitch && (one_slice || column_end <= side.memory.ysize);
}

bool is_empty(cudaExtent const& extent) {
  return extent.width == 0 || extent.height == 0 || extent.depth == 0;
}

// Of memory: without an array it may be anything where nothing is copied.
cudaError_t check(Side const& side, std::size_t width, cudaExtent const& extent) {
  if (side.array != nullptr) return side.memory.ptr == nullptr ? cudaSuccess : cudaErrorInvalidValue;
  if (is_empty(extent)) return cudaSuccess;
  if (side.memory.ptr == nullptr) return cudaErrorInvalidValue;
  return fits(side, width, extent) ? cudaSuccess : cudaErrorInvalidPitchValue;
}

// 1 without an array.
cudaError_t texel_bytes(Driver const& driver, cudaMemcpy3DParms const& box, std::size_t& bytes) {
  std::size_t source = 0, target = 0; // 0: no array
  if (box.srcArray != nullptr)
    if (cudaError_t const error = texel_bytes_of(driver, box.srcArray, source); error != cudaSuccess)
      return error;
  if (box.dstArray != nullptr)
    if (cudaError_t const error = texel_bytes_of(driver, box.dstArray, target); error != cudaSuccess)
      return error;
  if (source != 0 && target != 0 && source != target) return cudaErrorInvalidValue;
  bytes = source != 0 ? source : target != 0 ? target : 1;
  return cudaSuccess;
}

cudaMemcpyKind kind_of(CUDA_MEMCPY3D const& copy) {
  bool const from_host = copy.srcMemoryType == CU_MEMORYTYPE_HOST;
  bool const to_host = copy.dstMemoryType == CU_MEMORYTYPE_HOST;
  if (copy.srcMemoryType == CU_MEMORYTYPE_UNIFIED || copy.dstMemoryType == CU_MEMORYTYPE_UNIFIED)
    return cudaMemcpyDefault;
  if (from_host) return to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return to_host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

// The row's bytes, from x on, where an array counts texels.
bool in_bytes(Side& side, std::size_t texel) {
  return side.array == nullptr || !__builtin_mul_overflow(side.at.x, texel, &side.at.x);
}

} // namespace

cudaError_t describe(Driver const& driver, cudaMemcpy3DParms const& box, CUDA_MEMCPY3D& copy) {
  if (!is_copy_kind(box.kind)) return cudaErrorInvalidMemcpyDirection;
  Side source{box.srcArray, box.srcPtr, box.srcPos}, target{box.dstArray, box.dstPtr, box.dstPos};
  std::size_t texel = 1, width = 0;
  if (cudaError_t const error = texel_bytes(driver, box, texel); error != cudaSuccess) return error;
  if (__builtin_mul_overflow(box.extent.width, texel, &width) || !in_bytes(source, texel) ||
      !in_bytes(target, texel))
    return cudaErrorInvalidValue;
  for (Side const* const side : {&source, &target})
    if (cudaError_t const error = check(*side, width, box.extent); error != cudaSuccess) return error;
  copy = {};
  copy.srcXInBytes = source.at.x;
  copy.srcY = source.at.y;
  copy.srcZ = source.at.z;
  copy.srcMemoryType = source.array != nullptr ? CU_MEMORYTYPE_ARRAY : source_type(box.kind);
  copy.srcArray = driver_array(source.array);
  copy.srcHost = source.memory.ptr;
  copy.srcDevice = device_address(source.memory.ptr);
  copy.srcPitch = source.memory.pitch;
  copy.srcHeight = source.memory.ysize;
  copy.dstXInBytes = target.at.x;
  copy.dstY = target.at.y;
  copy.dstZ = target.at.z;
  copy.dstMemoryType = target.array != nullptr ? CU_MEMORYTYPE_ARRAY : target_type(box.kind);
  copy.dstArray = driver_array(target.array);
  copy.dstHost = target.memory.ptr;
  copy.dstDevice = device_address(target.memory.ptr);
  copy.dstPitch = target.memory.pitch;
  copy.dstHeight = target.memory.ysize;
  copy.WidthInBytes = width;
  copy.Height = box.extent.height;
  copy.Depth = box.extent.depth;
  return cudaSuccess;
}

cudaError_t undescribe(Driver const& driver, CUDA_MEMCPY3D const& copy, cudaMemcpy3DParms& box) {
  box = {};
  box.kind = kind_of(copy);
  if (copy.srcMemoryType == CU_MEMORYTYPE_ARRAY) box.srcArray = runtime_array(copy.srcArray);
  if (copy.dstMemoryType == CU_MEMORYTYPE_ARRAY) box.dstArray = runtime_array(copy.dstArray);
  std::size_t texel = 1;
  if (cudaError_t const error = texel_bytes(driver, box, texel); error != cudaSuccess) return error;
  auto const memory = [](CUmemorytype type, void const* host, CUdeviceptr device) {
    return type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : pointer_to(device);
  };
  if (box.srcArray == nullptr)
    box.srcPtr = {memory(copy.srcMemoryType, copy.srcHost, copy.srcDevice), copy.srcPitch, copy.WidthInBytes,
                  copy.srcHeight};
  if (box.dstArray == nullptr)
    box.dstPtr = {memory(copy.dstMemoryType, copy.dstHost, copy.dstDevice), copy.dstPitch, copy.WidthInBytes,
                  copy.dstHeight};
  box.srcPos = {copy.srcXInBytes / (box.srcArray == nullptr ? 1 : texel), copy.srcY, copy.srcZ};
  box.dstPos = {copy.dstXInBytes / (box.dstArray == nullptr ? 1 : texel), copy.dstY, copy.dstZ};
  box.extent = {copy.WidthInBytes / texel, copy.Height, copy.Depth};
  return cudaSuccess;
}

} // namespace pegasus::cudart
