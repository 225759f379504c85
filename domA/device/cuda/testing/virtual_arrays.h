// SPDX-License-Identifier: Apache-2.0
// For tests: adds arrays, textures, surfaces and memory with contents to the driver in virtual time. What is fresh is
// not zero.
#pragma once

#include "domA/device/cuda/testing/virtual_transfers.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <vector>

namespace pegasus::cuda::testing {

using Contents = std::vector<std::byte>;
inline constexpr std::byte of_another{0xee};

struct ModelArray {
  CUDA_ARRAY3D_DESCRIPTOR shape{};
  std::size_t row_bytes = 0, rows = 1, slices = 1;
  Contents bytes;
};

struct ArrayDriver {
  std::map<CUarray, ModelArray> arrays;
  std::map<CUmipmappedArray, std::vector<CUarray>> mipmaps;
  std::map<CUdeviceptr, Contents> memory;
  std::set<CUtexObject> textures;
  std::set<CUsurfObject> surfaces;
  CUDA_RESOURCE_DESC resource{}; // of the last texture or surface
  CUDA_TEXTURE_DESC sampling{};
  std::uintptr_t made = 0;
  unsigned copies = 0;
  unsigned copies_left = ~0u; // until they fail
  unsigned synchronized = 0;
  bool makes = true;    // arrays
  bool destroys = true; // ... and destroys them
};
inline ArrayDriver* array_driver = nullptr; // of the running test

inline std::size_t texel_bytes(CUDA_ARRAY3D_DESCRIPTOR const& shape) {
  std::size_t channel = 4;
  if (shape.Format == CU_AD_FORMAT_UNSIGNED_INT8 || shape.Format == CU_AD_FORMAT_SIGNED_INT8) channel = 1;
  if (shape.Format == CU_AD_FORMAT_UNSIGNED_INT16 || shape.Format == CU_AD_FORMAT_SIGNED_INT16 ||
      shape.Format == CU_AD_FORMAT_HALF)
    channel = 2;
  return channel * shape.NumChannels;
}

inline CUarray make_array(CUDA_ARRAY3D_DESCRIPTOR const& shape, unsigned level) {
  ModelArray array{.shape = shape, .bytes = {}};
  auto const extent = [&](std::size_t texels) { return std::max<std::size_t>(texels >> level, 1); };
  array.row_bytes = extent(shape.Width) * texel_bytes(shape);
  array.rows = extent(shape.Height);
  bool const layers = (shape.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
  array.slices = layers ? shape.Depth : extent(shape.Depth);
  array.bytes.assign(array.row_bytes * array.rows * array.slices, of_another);
  auto const handle = reinterpret_cast<CUarray>(0x100 * ++array_driver->made);
  array_driver->arrays[handle] = std::move(array);
  return handle;
}

// nullptr: it is not all there.
inline std::byte* at_address(CUdeviceptr address, std::size_t bytes) {
  auto const after = array_driver->memory.upper_bound(address);
  if (after == array_driver->memory.begin()) return nullptr;
  auto& [base, contents] = *std::prev(after);
  return address - base + bytes <= contents.size() ? &contents[address - base] : nullptr;
}

struct CopyPlace {
  CUmemorytype type;
  std::size_t x, y, z;
  std::byte* host;
  CUdeviceptr device;
  CUarray array;
  std::size_t pitch, height;

  [[nodiscard]] std::byte* row(CUDA_MEMCPY3D const& copy, std::size_t y_in, std::size_t z_in) const {
    if (type != CU_MEMORYTYPE_ARRAY) {
      if (x + copy.WidthInBytes > pitch || y + copy.Height > height) return nullptr;
      std::size_t const offset = ((z + z_in) * height + y + y_in) * pitch + x;
      return type == CU_MEMORYTYPE_HOST ? host + offset : at_address(device + offset, copy.WidthInBytes);
    }
    auto const found = array_driver->arrays.find(array);
    if (found == array_driver->arrays.end()) return nullptr;
    ModelArray& in = found->second;
    bool const fits = x + copy.WidthInBytes <= in.row_bytes && y + copy.Height <= in.rows &&
                      z + copy.Depth <= in.slices && x % texel_bytes(in.shape) == 0 &&
                      copy.WidthInBytes % texel_bytes(in.shape) == 0;
    return fits ? &in.bytes[((z + z_in) * in.rows + y + y_in) * in.row_bytes + x] : nullptr;
  }
};

inline CUresult copy_box(CUDA_MEMCPY3D const* copy, CUstream on) {
  if (array_driver->copies_left == 0) return CUDA_ERROR_INVALID_VALUE;
  --array_driver->copies_left;
  ++array_driver->copies;
  timeline->submit(on, {nullptr, timeline->fill_takes});
  CopyPlace const to{copy->dstMemoryType,
                     copy->dstXInBytes,
                     copy->dstY,
                     copy->dstZ,
                     static_cast<std::byte*>(copy->dstHost),
                     copy->dstDevice,
                     copy->dstArray,
                     copy->dstPitch,
                     copy->dstHeight};
  CopyPlace const from{copy->srcMemoryType,
                       copy->srcXInBytes,
                       copy->srcY,
                       copy->srcZ,
                       static_cast<std::byte*>(const_cast<void*>(copy->srcHost)),
                       copy->srcDevice,
                       copy->srcArray,
                       copy->srcPitch,
                       copy->srcHeight};
  for (std::size_t z = 0; z < copy->Depth; ++z)
    for (std::size_t y = 0; y < copy->Height; ++y) {
      std::byte *const target = to.row(*copy, y, z), *const source = from.row(*copy, y, z);
      if (target == nullptr || source == nullptr) return CUDA_ERROR_INVALID_VALUE;
      std::copy_n(source, copy->WidthInBytes, target);
    }
  return CUDA_SUCCESS;
}

inline void add_memory(Driver& driver) {
  driver.cuMemAlloc = [](CUdeviceptr* address, std::size_t bytes) {
    *address = timeline->fresh += 0x10000000;
    array_driver->memory[*address].assign(bytes, of_another);
    return CUDA_SUCCESS;
  };
  driver.cuMemFree = [](CUdeviceptr address) {
    return array_driver->memory.erase(address) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
  driver.cuMemsetD8Async = [](CUdeviceptr address, unsigned char value, std::size_t bytes, CUstream on) {
    std::byte* const target = at_address(address, bytes);
    if (target == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::fill_n(target, bytes, std::byte{value});
    timeline->submit(on, {nullptr, timeline->fill_takes});
    return CUDA_SUCCESS;
  };
  driver.cuCtxSynchronize = [] {
    for (auto const& [on, at] : timeline->free_at)
      timeline->now = std::max(timeline->now, at);
    ++array_driver->synchronized;
    return CUDA_SUCCESS;
  };
}

inline void add_arrays(Driver& driver) {
  driver.cuMemcpy3DAsync = copy_box;
  driver.cuArray3DCreate = [](CUarray* array, CUDA_ARRAY3D_DESCRIPTOR const* shape) {
    *array = make_array(*shape, 0);
    return array_driver->makes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
  driver.cuArrayDestroy = [](CUarray array) {
    if (!array_driver->destroys) return CUDA_ERROR_INVALID_VALUE;
    return array_driver->arrays.erase(array) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  };
  driver.cuMipmappedArrayCreate = [](CUmipmappedArray* mipmap, CUDA_ARRAY3D_DESCRIPTOR const* shape,
                                     unsigned levels) {
    *mipmap = reinterpret_cast<CUmipmappedArray>(0x100 * ++array_driver->made);
    for (unsigned level = 0; level < levels; ++level)
      array_driver->mipmaps[*mipmap].push_back(make_array(*shape, level));
    return CUDA_SUCCESS;
  };
  driver.cuMipmappedArrayGetLevel = [](CUarray* array, CUmipmappedArray mipmap, unsigned level) {
    *array = array_driver->mipmaps.at(mipmap).at(level);
    return array_driver->makes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
  driver.cuMipmappedArrayDestroy = [](CUmipmappedArray mipmap) {
    for (CUarray const level : array_driver->mipmaps.at(mipmap))
      array_driver->arrays.erase(level);
    return array_driver->mipmaps.erase(mipmap) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  };
}

inline void add_textures(Driver& driver) {
  driver.cuTexObjectCreate = [](CUtexObject* made, CUDA_RESOURCE_DESC const* resource,
                                CUDA_TEXTURE_DESC const* sampling, CUDA_RESOURCE_VIEW_DESC const*) {
    array_driver->resource = *resource;
    array_driver->sampling = *sampling;
    array_driver->textures.insert(*made = ++array_driver->made);
    return CUDA_SUCCESS;
  };
  driver.cuTexObjectDestroy = [](CUtexObject texture) {
    return array_driver->textures.erase(texture) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
  driver.cuSurfObjectCreate = [](CUsurfObject* made, CUDA_RESOURCE_DESC const* resource) {
    array_driver->resource = *resource;
    array_driver->surfaces.insert(*made = ++array_driver->made);
    return CUDA_SUCCESS;
  };
  driver.cuSurfObjectDestroy = [](CUsurfObject surface) {
    return array_driver->surfaces.erase(surface) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
}

struct VirtualArrays : VirtualTransfers {
  ArrayDriver contents;

  VirtualArrays() {
    array_driver = &contents;
    add_memory(driver);
    add_arrays(driver);
    add_textures(driver);
  }
};

} // namespace pegasus::cuda::testing
