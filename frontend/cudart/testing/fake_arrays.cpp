// SPDX-License-Identifier: Apache-2.0
// The recording driver's arrays, whose texels are on the heap, and the last texture. Copies of boxes.
#include "frontend/cudart/testing/fake_cuda.h"

#include <cstring>
#include <vector>

namespace {

struct FakeArray {
  CUDA_ARRAY3D_DESCRIPTOR description;
  std::size_t row, rows; // bytes of one, rows of a slice
  std::vector<char> bytes;
};

FakeArray& array_of(CUarray handle) { return *reinterpret_cast<FakeArray*>(handle); }

struct Rows {
  char* first;
  std::size_t pitch, slice;
};

Rows rows_of(CUmemorytype type, CUarray array, void const* host, std::size_t pitch, std::size_t height) {
  if (type != CU_MEMORYTYPE_ARRAY)
    return {static_cast<char*>(const_cast<void*>(host)), pitch, pitch * height};
  FakeArray& a = array_of(array);
  return {a.bytes.data(), a.row, a.row * a.rows};
}

std::size_t texel_bytes(CUDA_ARRAY3D_DESCRIPTOR const& d) {
  bool const byte = d.Format == CU_AD_FORMAT_UNSIGNED_INT8 || d.Format == CU_AD_FORMAT_SIGNED_INT8;
  bool const word = d.Format == CU_AD_FORMAT_UNSIGNED_INT32 || d.Format == CU_AD_FORMAT_SIGNED_INT32 ||
                    d.Format == CU_AD_FORMAT_FLOAT;
  return (byte ? 1u : word ? 4u : 2u) * d.NumChannels;
}

} // namespace

extern "C" {

FakeCuda* fake_cuda_state();

CUresult cuArray3DCreate_v2(CUarray* handle, CUDA_ARRAY3D_DESCRIPTOR const* description) {
  std::size_t const row = description->Width * texel_bytes(*description);
  std::size_t const rows = description->Height == 0 ? 1 : description->Height;
  std::size_t const slices = description->Depth == 0 ? 1 : description->Depth;
  *handle = reinterpret_cast<CUarray>(
      new FakeArray{*description, row, rows, std::vector<char>(row * rows * slices)});
  return CUDA_SUCCESS;
}
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* description, CUarray handle) {
  *description = array_of(handle).description;
  return CUDA_SUCCESS;
}
CUresult cuArrayDestroy(CUarray handle) {
  delete &array_of(handle);
  return CUDA_SUCCESS;
}

CUresult cuMemcpy3D_v2(CUDA_MEMCPY3D const* copy) {
  ++fake_cuda_state()->box_copies;
  Rows const target =
      rows_of(copy->dstMemoryType, copy->dstArray, copy->dstHost, copy->dstPitch, copy->dstHeight);
  Rows const source =
      rows_of(copy->srcMemoryType, copy->srcArray, copy->srcHost, copy->srcPitch, copy->srcHeight);
  for (std::size_t z = 0; z < copy->Depth; ++z)
    for (std::size_t y = 0; y < copy->Height; ++y)
      std::memcpy(target.first + (copy->dstZ + z) * target.slice + (copy->dstY + y) * target.pitch +
                      copy->dstXInBytes,
                  source.first + (copy->srcZ + z) * source.slice + (copy->srcY + y) * source.pitch +
                      copy->srcXInBytes,
                  copy->WidthInBytes);
  return fake_cuda_state()->sticky;
}

CUresult cuTexObjectCreate(CUtexObject* handle, CUDA_RESOURCE_DESC const* resource,
                           CUDA_TEXTURE_DESC const* sampling, CUDA_RESOURCE_VIEW_DESC const*) {
  fake_cuda_state()->texture_resource = *resource;
  fake_cuda_state()->texture_sampling = *sampling;
  *handle = 77;
  return CUDA_SUCCESS;
}
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, CUtexObject) {
  *resource = fake_cuda_state()->texture_resource;
  return CUDA_SUCCESS;
}
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* sampling, CUtexObject) {
  *sampling = fake_cuda_state()->texture_sampling;
  return CUDA_SUCCESS;
}

} // extern "C"
