// SPDX-License-Identifier: Apache-2.0
// The program's arrays, textures and surfaces. Their contents are as large as the program knows from what it asked for,
// whatever the worker answers.
#include "tests/fuzz/client_program.h"

#include "tests/fuzz/require.h"

#include <vector>

namespace pegasus::fuzz {

void ClientProgram::make_array() {
  CUarray& array = any(arrays_);
  CUmipmappedArray& mipmap = any(mipmaps_);
  CUDA_ARRAY3D_DESCRIPTOR const description{.Width = 1 + std::size_t{input_.take<std::uint8_t>()} % 64,
                                            .Height = std::size_t{input_.take<std::uint8_t>()} % 64,
                                            .Depth = std::size_t{input_.take<std::uint8_t>()} % 4,
                                            .Format = CU_AD_FORMAT_FLOAT,
                                            .NumChannels = 1,
                                            .Flags = input_.take<std::uint8_t>() % 8u};
  if (input_.take<std::uint8_t>() % 2 == 0) {
    if (array != nullptr && cuArrayDestroy(array) == CUDA_ERROR_INVALID_HANDLE) require(false);
    array = nullptr;
    (void)cuArray3DCreate_v2(&array, &description);
  } else {
    if (mipmap != nullptr && cuMipmappedArrayDestroy(mipmap) == CUDA_ERROR_INVALID_HANDLE) require(false);
    mipmap = nullptr;
    (void)cuMipmappedArrayCreate(&mipmap, &description, input_.take<std::uint8_t>() % 8);
  }
}

void ClientProgram::copy_array() {
  CUarray array = any(arrays_);
  if (input_.take<std::uint8_t>() % 4 == 0)
    (void)cuMipmappedArrayGetLevel(&array, any(mipmaps_), input_.take<std::uint8_t>() % 8);
  CUDA_ARRAY3D_DESCRIPTOR told{};
  if (cuArray3DGetDescriptor_v2(&told, array) != CUDA_SUCCESS) return;
  CUDA_MEMCPY3D box{};
  box.WidthInBytes = told.Width * sizeof(float);
  box.Height = std::max<std::size_t>(told.Height, 1);
  box.Depth = std::max<std::size_t>(told.Depth, 1);
  std::vector<std::byte> host(box.WidthInBytes * box.Height * box.Depth);
  bool const to_host = input_.take<std::uint8_t>() % 2 == 0;
  box.srcMemoryType = to_host ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
  box.dstMemoryType = to_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
  box.srcArray = box.dstArray = array;
  box.srcHost = box.dstHost = host.data();
  box.srcPitch = box.dstPitch = box.WidthInBytes;
  box.srcHeight = box.dstHeight = box.Height;
  (void)cuMemcpy3D_v2(&box);
}

void ClientProgram::use_texture() {
  CUtexObject& texture = any(textures_);
  (void)cuTexObjectDestroy(texture);
  texture = 0;
  CUDA_RESOURCE_DESC resource{};
  CUDA_TEXTURE_DESC const sampling{};
  switch (input_.take<std::uint8_t>() % 3) {
  case 0:
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = any(arrays_);
    break;
  case 1:
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = any(mipmaps_);
    break;
  default:
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear = {any(memory_), CU_AD_FORMAT_FLOAT, 1, size()};
  }
  (void)cuTexObjectCreate(&texture, &resource, &sampling, nullptr);
  (void)cuTexObjectGetResourceDesc(&resource, texture);
  CUsurfObject surface = 0;
  if (cuSurfObjectCreate(&surface, &resource) == CUDA_SUCCESS) (void)cuSurfObjectDestroy(surface);
}

} // namespace pegasus::fuzz
