// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/arrays.h"

#include "domA/device/array_levels.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace pegasus::cuda {
namespace {

static_assert(DriverArrays::zeros_bytes >= std::uint64_t{PEGASUS_ARRAY_EXTENT_MAX} * 4 * sizeof(float));

std::uint64_t in_units(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

CUDA_ARRAY3D_DESCRIPTOR descriptor_of(device::ArrayShape const& shape) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  descriptor.Width = shape.width;
  descriptor.Height = shape.height;
  descriptor.Depth = shape.depth;
  descriptor.Format = static_cast<CUarray_format>(shape.texel.format);
  descriptor.NumChannels = shape.texel.channels;
  descriptor.Flags =
      (shape.layered ? CUDA_ARRAY3D_LAYERED : 0u) | (shape.cubemap ? CUDA_ARRAY3D_CUBEMAP : 0u) |
      (shape.surface ? CUDA_ARRAY3D_SURFACE_LDST : 0u) | (shape.gather ? CUDA_ARRAY3D_TEXTURE_GATHER : 0u);
  return descriptor;
}

ArrayLevel level_in(device::ArrayShape const& shape, std::uint32_t level) {
  pegasus_array_level const at = device::level_of(shape, level);
  return {nullptr, at.offset, {at.row_bytes, at.height, at.slices, shape.texel.bytes()}};
}

bool exists(DriverArray const& array) {
  return array.mipmap != nullptr || (array.shape.levels == 1 && array.levels.front().handle != nullptr);
}

} // namespace

// NVIDIA's tiles are 64 bytes by 8 rows, and lie in blocks of up to 16 below each other and, in three dimensions, 32
// slices. A block is no larger than needed for what lies in it. Small arrays count as a page of 64 KiB.
std::uint64_t charge_of(device::ArrayShape const& shape) {
  constexpr std::uint64_t tile_bytes = 64, tile_rows = 8, block_rows = 128, block_slices = 32,
                          page = 64 << 10;
  bool const is_3d = shape.depth > 1 && !shape.layered && !shape.cubemap;
  std::uint64_t bytes = 0;
  for (std::uint32_t level = 0; level < shape.levels; ++level) {
    Grid const grid = level_in(shape, level).grid;
    std::uint64_t const rows = std::clamp(std::bit_ceil(grid.rows), tile_rows, block_rows);
    std::uint64_t const slices = is_3d ? std::min(std::bit_ceil(grid.slices), block_slices) : 1;
    bytes += in_units(grid.row_bytes, tile_bytes) * in_units(grid.rows, rows) * in_units(grid.slices, slices);
  }
  return in_units(bytes, page);
}

bool DriverArrays::supported() const {
  return driver_.cuArray3DCreate != nullptr && driver_.cuArrayDestroy != nullptr &&
         driver_.cuMipmappedArrayCreate != nullptr && driver_.cuMipmappedArrayGetLevel != nullptr &&
         driver_.cuMipmappedArrayDestroy != nullptr && driver_.cuMemcpy3DAsync != nullptr;
}

device::Status DriverArrays::create(device::ArrayShape const& shape, device::Address& base) {
  if (!supported()) return Status::not_supported;
  if (transfers_.arrays().all().size() == most) return Status::out_of_memory;
  DriverArray array{.shape = shape, .levels = {}, .charged = charge_of(shape)};
  if (!memory_.reserve(array.charged)) return Status::out_of_memory;
  CUresult result = make(array);
  if (exists(array)) {
    memory_.pin(array.charged);
    if (result == CUDA_SUCCESS) result = prepare_zeros();
    if (result == CUDA_SUCCESS) result = zero(array);
    device::Address const made = result == CUDA_SUCCESS ? transfers_.arrays().add(array) : 0;
    if (made != 0) {
      base = made;
      return Status::success;
    }
    discard(array);
  }
  memory_.give_back();
  return result == CUDA_SUCCESS ? Status::out_of_memory : state_.answer(submitted(result));
}

// An array that cannot be destroyed stays, and stays charged.
device::Status DriverArrays::destroy(device::Address base) {
  DriverArray const* const array = transfers_.arrays().find(base);
  if (array == nullptr) return Status::invalid_value;
  CUresult result = finish_work();
  if (result == CUDA_SUCCESS) result = end(*array);
  if (result == CUDA_SUCCESS) {
    memory_.unpin(array->charged);
    memory_.give_back();
    transfers_.arrays().remove(base);
  }
  return state_.synchronized(submitted(result));
}

void DriverArrays::close() {
  if (zeros_ == 0) return;
  (void)finish_work();
  for (auto const& [base, array] : transfers_.arrays().all())
    (void)end(array);
  driver_.cuMemFree(std::exchange(zeros_, 0));
}

// With the first array, for as long as the context lasts: freeing them would wait for all work.
CUresult DriverArrays::prepare_zeros() {
  if (zeros_ != 0) return CUDA_SUCCESS;
  if (!memory_.reserve(zeros_bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  CUdeviceptr made = 0;
  CUresult result = driver_.cuMemAlloc(&made, zeros_bytes);
  if (result == CUDA_SUCCESS && made == 0) result = CUDA_ERROR_UNKNOWN;
  if (result == CUDA_SUCCESS) result = zero(made);
  if (result == CUDA_SUCCESS) {
    zeros_ = made;
    memory_.pin(zeros_bytes);
  }
  memory_.give_back();
  return result;
}

CUresult DriverArrays::zero(CUdeviceptr zeros) {
  CUresult const result = transfers_.scrub(zeros, zeros_bytes);
  if (result != CUDA_SUCCESS && driver_.cuMemFree(zeros) != CUDA_SUCCESS) lose_task();
  return result;
}

// What a driver says it did not make is not used.
CUresult DriverArrays::make(DriverArray& array) const {
  CUDA_ARRAY3D_DESCRIPTOR const descriptor = descriptor_of(array.shape);
  for (std::uint32_t level = 0; level < array.shape.levels; ++level)
    array.levels.push_back(level_in(array.shape, level));
  CUarray& first = array.levels.front().handle;
  bool const is_mipmap = array.shape.levels > 1;
  CUresult result = is_mipmap ? driver_.cuMipmappedArrayCreate(&array.mipmap, &descriptor, array.shape.levels)
                              : driver_.cuArray3DCreate(&first, &descriptor);
  if (result != CUDA_SUCCESS) {
    array.mipmap = nullptr;
    first = nullptr;
    return result;
  }
  if (!exists(array)) return CUDA_ERROR_UNKNOWN;
  for (std::uint32_t level = 0; is_mipmap && level < array.shape.levels && result == CUDA_SUCCESS; ++level) {
    CUarray& handle = array.levels[level].handle;
    result = driver_.cuMipmappedArrayGetLevel(&handle, array.mipmap, level);
    if (result == CUDA_SUCCESS && handle == nullptr) result = CUDA_ERROR_UNKNOWN;
  }
  return result;
}

CUresult DriverArrays::zero(DriverArray const& array) {
  return transfers_.scrub_array(device::bytes_of(array.shape), [&](CUstream stream) {
    CUresult result = CUDA_SUCCESS;
    for (std::size_t i = 0; i < array.levels.size() && result == CUDA_SUCCESS; ++i)
      result = zero(array.levels[i], stream);
    return result;
  });
}

// The pitch is one that each device can copy from.
CUresult DriverArrays::zero(ArrayLevel const& level, CUstream stream) const {
  Grid const& grid = level.grid;
  std::uint64_t const pitch = in_units(grid.row_bytes, 512);
  std::uint64_t const rows = zeros_bytes / pitch;
  std::uint64_t const height = std::min(grid.rows, rows);
  std::uint64_t const depth = std::min(grid.slices, rows / height);
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = zeros_;
  copy.srcPitch = pitch;
  copy.srcHeight = height;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = level.handle;
  copy.WidthInBytes = grid.row_bytes;
  CUresult result = CUDA_SUCCESS;
  for (copy.dstZ = 0; copy.dstZ < grid.slices && result == CUDA_SUCCESS; copy.dstZ += depth) {
    copy.Depth = std::min(depth, grid.slices - copy.dstZ);
    for (copy.dstY = 0; copy.dstY < grid.rows && result == CUDA_SUCCESS; copy.dstY += height) {
      copy.Height = std::min(height, grid.rows - copy.dstY);
      result = driver_.cuMemcpy3DAsync(&copy, stream);
    }
  }
  return result;
}

CUresult DriverArrays::end(DriverArray const& array) const {
  return array.mipmap != nullptr ? driver_.cuMipmappedArrayDestroy(array.mipmap)
                                 : driver_.cuArrayDestroy(array.levels.front().handle);
}

// It may use what goes, and zeroes must not arrive at the next owner's.
CUresult DriverArrays::finish_work() {
  CUresult const result = transfers_.scrubber().finish();
  return result == CUDA_SUCCESS ? driver_.cuCtxSynchronize() : result;
}

// If it does not go, it may hold what its last owner left, where a kernel could find it.
void DriverArrays::discard(DriverArray const& array) {
  if (finish_work() == CUDA_SUCCESS && end(array) == CUDA_SUCCESS)
    memory_.unpin(array.charged);
  else
    lose_task();
}

void DriverArrays::lose_task() {
  if (state_.lost() == Status::success) state_.lose(Status::unknown);
}

} // namespace pegasus::cuda
