// SPDX-License-Identifier: Apache-2.0
// cudaMemset and similar calls. All are asynchronous with respect to the host; the plain ones use
// the default stream.
#include "frontend/cudart/context.h"

using namespace pegasus::cudart;

namespace {

struct FilledRows {
  void* target;
  std::size_t pitch;
  std::size_t width;
  std::size_t height;
};

CUresult fill_rows(Driver const& driver, FilledRows const& rows, unsigned char byte, cudaStream_t stream) {
  CUdeviceptr const target = device_address(rows.target);
  if (stream == nullptr) return driver.cuMemsetD2D8_v2(target, rows.pitch, byte, rows.width, rows.height);
  return driver.cuMemsetD2D8Async(target, rows.pitch, byte, rows.width, rows.height, stream);
}

// "value: value to set for each byte": only its low byte is used.
cudaError_t fill(void* target, int value, std::size_t bytes, cudaStream_t stream) {
  return with_context([&](Driver const& driver) {
    auto const byte = static_cast<unsigned char>(value);
    if (bytes == 0) return CUDA_SUCCESS;
    if (stream == nullptr) return driver.cuMemsetD8_v2(device_address(target), byte, bytes);
    return driver.cuMemsetD8Async(device_address(target), byte, bytes, stream);
  });
}

cudaError_t fill(FilledRows const& rows, int value, cudaStream_t stream) {
  if (rows.height > 1 && rows.width > rows.pitch) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    if (rows.width == 0 || rows.height == 0) return CUDA_SUCCESS;
    return fill_rows(driver, rows, static_cast<unsigned char>(value), stream);
  });
}

// Slices are ysize rows apart. If they are adjacent, the box is one block of rows.
cudaError_t fill(cudaPitchedPtr const& box, int value, cudaExtent const& extent, cudaStream_t stream) {
  if (extent.width > box.pitch || (extent.depth > 1 && extent.height > box.ysize))
    return finish(cudaErrorInvalidValue);
  std::size_t rows = 0;
  if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) return finish(cudaErrorInvalidValue);
  if (extent.depth <= 1 || extent.height == box.ysize)
    return fill({box.ptr, box.pitch, extent.width, rows}, value, stream);
  for (std::size_t z = 0; z < extent.depth; ++z) {
    auto* const slice = static_cast<std::byte*>(box.ptr) + z * box.ysize * box.pitch;
    cudaError_t const error = fill({slice, box.pitch, extent.width, extent.height}, value, stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

} // namespace

PEGASUS_API cudaError_t cudaMemset(void* target, int value, std::size_t bytes) {
  return fill(target, value, bytes, nullptr);
}
PEGASUS_API cudaError_t cudaMemset_ptds(void* target, int value, std::size_t bytes) {
  return fill(target, value, bytes, cudaStreamPerThread);
}
PEGASUS_API cudaError_t cudaMemsetAsync(void* target, int value, std::size_t bytes, cudaStream_t stream) {
  return fill(target, value, bytes, stream);
}

PEGASUS_API cudaError_t cudaMemset2D(void* target, std::size_t pitch, int value, std::size_t width,
                                     std::size_t height) {
  return fill({target, pitch, width, height}, value, nullptr);
}
PEGASUS_API cudaError_t cudaMemset2D_ptds(void* target, std::size_t pitch, int value, std::size_t width,
                                          std::size_t height) {
  return fill({target, pitch, width, height}, value, cudaStreamPerThread);
}
PEGASUS_API cudaError_t cudaMemset2DAsync(void* target, std::size_t pitch, int value, std::size_t width,
                                          std::size_t height, cudaStream_t stream) {
  return fill({target, pitch, width, height}, value, stream);
}

PEGASUS_API cudaError_t cudaMemset3D(cudaPitchedPtr box, int value, cudaExtent extent) {
  return fill(box, value, extent, nullptr);
}
PEGASUS_API cudaError_t cudaMemset3D_ptds(cudaPitchedPtr box, int value, cudaExtent extent) {
  return fill(box, value, extent, cudaStreamPerThread);
}
PEGASUS_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr box, int value, cudaExtent extent,
                                          cudaStream_t stream) {
  return fill(box, value, extent, stream);
}
