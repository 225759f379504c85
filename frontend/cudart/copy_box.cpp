// SPDX-License-Identifier: Apache-2.0
// Copies of rows and boxes, in memory and in arrays.
#include "frontend/cudart/copy.h"

#include <cstddef>
#include <cstring>

using namespace pegasus::cudart;

namespace {

void copy_on_host(cudaMemcpy3DParms const& box) {
  auto const row = [](cudaPitchedPtr const& side, cudaPos const& at, std::size_t y, std::size_t z) {
    return static_cast<std::byte*>(side.ptr) + ((at.z + z) * side.ysize + at.y + y) * side.pitch + at.x;
  };
  for (std::size_t z = 0; z < box.extent.depth; ++z)
    for (std::size_t y = 0; y < box.extent.height; ++y)
      std::memmove(row(box.dstPtr, box.dstPos, y, z), row(box.srcPtr, box.srcPos, y, z), box.extent.width);
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

cudaError_t pegasus::cudart::copy_box(cudaMemcpy3DParms const* parameters, Order order) {
  if (parameters == nullptr) return finish(cudaErrorInvalidValue);
  cudaMemcpy3DParms const& box = *parameters;
  return with_context([&](Driver const& driver) -> cudaError_t {
    CUDA_MEMCPY3D copy{};
    if (cudaError_t const error = describe(driver, box, copy); error != cudaSuccess) return error;
    if (box.extent.width == 0 || box.extent.height == 0 || box.extent.depth == 0) return cudaSuccess;
    bool const in_memory = box.srcArray == nullptr && box.dstArray == nullptr;
    if (box.kind == cudaMemcpyHostToHost && order.wait && in_memory) {
      CUresult const result = driver.cuStreamSynchronize(order.stream);
      if (result == CUDA_SUCCESS) copy_on_host(box);
      return from_driver(result);
    }
    if (order.legacy_and_waits()) return from_driver(driver.cuMemcpy3D_v2(&copy));
    return from_driver(order.complete(driver, driver.cuMemcpy3DAsync_v2(&copy, order.stream)));
  });
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
