// SPDX-License-Identifier: Apache-2.0
// Copies of rows and boxes in linear memory (the accelerator has no CUDA arrays).
#include "frontend/cudart/copy.h"

#include <cstring>

using namespace pegasus::cudart;

namespace {

bool fits(cudaPitchedPtr const& side, cudaPos const& at, cudaExtent const& extent) {
  std::size_t row_end = 0;
  std::size_t column_end = 0;
  if (__builtin_add_overflow(at.x, extent.width, &row_end)) return false;
  if (__builtin_add_overflow(at.y, extent.height, &column_end)) return false;
  bool const one_slice = extent.depth == 1 && at.z == 0; // ysize is not needed then, and is often left 0
  return row_end <= side.pitch && (one_slice || column_end <= side.ysize);
}

void copy_on_host(cudaMemcpy3DParms const& box) {
  auto const row = [](cudaPitchedPtr const& side, cudaPos const& at, std::size_t y, std::size_t z) {
    return static_cast<std::byte*>(side.ptr) + ((at.z + z) * side.ysize + at.y + y) * side.pitch + at.x;
  };
  for (std::size_t z = 0; z < box.extent.depth; ++z)
    for (std::size_t y = 0; y < box.extent.height; ++y)
      std::memmove(row(box.dstPtr, box.dstPos, y, z), row(box.srcPtr, box.srcPos, y, z), box.extent.width);
}

cudaError_t copy_box(cudaMemcpy3DParms const* parameters, Order order) {
  if (parameters == nullptr) return finish(cudaErrorInvalidValue);
  cudaMemcpy3DParms const& box = *parameters;
  CUDA_MEMCPY3D copy{};
  if (cudaError_t const error = describe(box, copy); error != cudaSuccess) return finish(error);
  return with_context([&](Driver const& driver) -> cudaError_t {
    if (box.extent.width == 0 || box.extent.height == 0 || box.extent.depth == 0) return cudaSuccess;
    if (box.kind == cudaMemcpyHostToHost && order.wait) {
      CUresult const result = driver.cuStreamSynchronize(order.stream);
      if (result == CUDA_SUCCESS) copy_on_host(box);
      return from_driver(result);
    }
    if (order.legacy_and_waits()) return from_driver(driver.cuMemcpy3D_v2(&copy));
    return from_driver(order.complete(driver, driver.cuMemcpy3DAsync_v2(&copy, order.stream)));
  });
}

struct Rows {
  void* target;
  std::size_t target_pitch;
  void const* source;
  std::size_t source_pitch;
  std::size_t width;
  std::size_t height;
};

// A box of one slice.
cudaError_t copy_rows(Rows const& rows, cudaMemcpyKind kind, Order order) {
  if (!is_copy_kind(kind)) return finish(cudaErrorInvalidMemcpyDirection);
  if (rows.width > rows.target_pitch || rows.width > rows.source_pitch)
    return finish(cudaErrorInvalidPitchValue);
  cudaMemcpy3DParms box{};
  box.kind = kind;
  box.dstPtr = {rows.target, rows.target_pitch, rows.width, rows.height};
  box.srcPtr = {const_cast<void*>(rows.source), rows.source_pitch, rows.width, rows.height};
  box.extent = {rows.width, rows.height, 1};
  return copy_box(&box, order);
}

} // namespace

// Without an array on either side, extent.width and the x positions are in bytes.
cudaError_t pegasus::cudart::describe(cudaMemcpy3DParms const& box, CUDA_MEMCPY3D& copy) {
  if (box.srcArray != nullptr || box.dstArray != nullptr) return cudaErrorNotSupported;
  if (!is_copy_kind(box.kind)) return cudaErrorInvalidMemcpyDirection;
  bool const empty = box.extent.width == 0 || box.extent.height == 0 || box.extent.depth == 0;
  if (!empty && (box.srcPtr.ptr == nullptr || box.dstPtr.ptr == nullptr)) return cudaErrorInvalidValue;
  if (!empty && (!fits(box.srcPtr, box.srcPos, box.extent) || !fits(box.dstPtr, box.dstPos, box.extent)))
    return cudaErrorInvalidPitchValue;
  copy = {};
  copy.srcXInBytes = box.srcPos.x;
  copy.srcY = box.srcPos.y;
  copy.srcZ = box.srcPos.z;
  copy.srcMemoryType = source_type(box.kind);
  copy.srcHost = box.srcPtr.ptr;
  copy.srcDevice = device_address(box.srcPtr.ptr);
  copy.srcPitch = box.srcPtr.pitch;
  copy.srcHeight = box.srcPtr.ysize;
  copy.dstXInBytes = box.dstPos.x;
  copy.dstY = box.dstPos.y;
  copy.dstZ = box.dstPos.z;
  copy.dstMemoryType = target_type(box.kind);
  copy.dstHost = box.dstPtr.ptr;
  copy.dstDevice = device_address(box.dstPtr.ptr);
  copy.dstPitch = box.dstPtr.pitch;
  copy.dstHeight = box.dstPtr.ysize;
  copy.WidthInBytes = box.extent.width;
  copy.Height = box.extent.height;
  copy.Depth = box.extent.depth;
  return cudaSuccess;
}

PEGASUS_API cudaError_t cudaMemcpy2D(void* target, std::size_t target_pitch, void const* source,
                                     std::size_t source_pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind) {
  return copy_rows({target, target_pitch, source, source_pitch, width, height}, kind, synchronous());
}
PEGASUS_API cudaError_t cudaMemcpy2D_ptds(void* target, std::size_t target_pitch, void const* source,
                                          std::size_t source_pitch, std::size_t width, std::size_t height,
                                          cudaMemcpyKind kind) {
  return copy_rows({target, target_pitch, source, source_pitch, width, height}, kind,
                   synchronous_per_thread());
}
PEGASUS_API cudaError_t cudaMemcpy2DAsync(void* target, std::size_t target_pitch, void const* source,
                                          std::size_t source_pitch, std::size_t width, std::size_t height,
                                          cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_rows({target, target_pitch, source, source_pitch, width, height}, kind, in(stream));
}

PEGASUS_API cudaError_t cudaMemcpy3D(cudaMemcpy3DParms const* box) { return copy_box(box, synchronous()); }
PEGASUS_API cudaError_t cudaMemcpy3D_ptds(cudaMemcpy3DParms const* box) {
  return copy_box(box, synchronous_per_thread());
}
PEGASUS_API cudaError_t cudaMemcpy3DAsync(cudaMemcpy3DParms const* box, cudaStream_t stream) {
  return copy_box(box, in(stream));
}
