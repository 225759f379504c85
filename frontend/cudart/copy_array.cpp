// SPDX-License-Identifier: Apache-2.0
// Copies of rows, and of plain ranges, to and from arrays. Here offsets and widths are in bytes.
#include "frontend/cudart/array.h"
#include "frontend/cudart/copy.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

using namespace pegasus::cudart;

namespace {

// One side of a copy: an array from (x bytes, y) on, or memory whose rows are pitch bytes apart.
struct Place {
  cudaArray_t array;
  std::size_t x, y;
  void* memory;
  std::size_t pitch;
};

Place in(cudaArray_const_t array, std::size_t x, std::size_t y) {
  return {const_cast<cudaArray_t>(array), x, y, nullptr, 0};
}
Place at(void const* memory, std::size_t pitch) { return {nullptr, 0, 0, const_cast<void*>(memory), pitch}; }

struct Shape {
  std::size_t width, height; // bytes, rows
};

// Bytes that an array's texels do not fill are no part of it.
cudaError_t in_texels(Driver const& driver, Place const& place, Shape const& shape, std::size_t& texel) {
  if (place.array == nullptr) return cudaSuccess;
  if (cudaError_t const error = texel_bytes_of(driver, place.array, texel); error != cudaSuccess)
    return error;
  return place.x % texel == 0 && shape.width % texel == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t copy_rows(Place const& target, Place const& source, Shape const& shape, cudaMemcpyKind kind,
                      Order order) {
  return with_context([&](Driver const& driver) {
    std::size_t texel = 1;
    for (Place const* const place : {&source, &target})
      if (cudaError_t const error = in_texels(driver, *place, shape, texel); error != cudaSuccess)
        return error;
    cudaMemcpy3DParms box{};
    box.kind = kind;
    box.srcArray = source.array;
    box.srcPos = {source.x / texel, source.y, 0};
    box.dstArray = target.array;
    box.dstPos = {target.x / texel, target.y, 0};
    if (source.array == nullptr) box.srcPtr = {source.memory, source.pitch, shape.width, shape.height};
    if (target.array == nullptr) box.dstPtr = {target.memory, target.pitch, shape.width, shape.height};
    box.extent = {shape.width / texel, shape.height, 1};
    return copy_box(&box, order);
  });
}

cudaError_t row_bytes_of(Driver const& driver, cudaArray_t array, std::size_t& bytes) {
  CUDA_ARRAY3D_DESCRIPTOR description{};
  CUresult const result = driver.cuArray3DGetDescriptor_v2(&description, driver_array(array));
  if (result == CUDA_SUCCESS)
    bytes = description.Width * bytes_of({description.Format, description.NumChannels});
  return from_driver(result);
}

// Where a range goes on, row by row in an array, byte by byte in memory.
struct Cursor {
  Place place;
  std::size_t row = SIZE_MAX; // bytes

  [[nodiscard]] std::size_t left() const { return row - (place.array == nullptr ? 0 : place.x); }
  [[nodiscard]] bool at_row_of(std::size_t bytes) const {
    return place.array == nullptr || (place.x == 0 && row == bytes);
  }
  void advance(Shape const& done) {
    if (place.array == nullptr) {
      place.memory = static_cast<std::byte*>(place.memory) + done.width * done.height;
      return;
    }
    place.x += done.width;
    if (place.x < row) return;
    place.x = 0;
    place.y += done.height;
  }
};

// A range that begins in a row of an array and goes on in the next ones: what is left of a row, or whole rows.
cudaError_t copy_range(Place const& target_place, Place const& source_place, std::size_t bytes,
                       cudaMemcpyKind kind, Order order) {
  return with_context([&](Driver const& driver) {
    Cursor target{target_place}, source{source_place};
    for (Cursor* const side : {&target, &source}) {
      if (side->place.array == nullptr) continue;
      if (cudaError_t const error = row_bytes_of(driver, side->place.array, side->row); error != cudaSuccess)
        return error;
      if (side->place.x >= side->row) return cudaErrorInvalidValue;
    }
    while (bytes > 0) {
      std::size_t const width = std::min({bytes, target.left(), source.left()});
      bool const whole = target.at_row_of(width) && source.at_row_of(width);
      Shape const shape{width, whole ? bytes / width : 1};
      target.place.pitch = source.place.pitch = width;
      if (cudaError_t const error = copy_rows(target.place, source.place, shape, kind, order);
          error != cudaSuccess)
        return error;
      bytes -= shape.width * shape.height;
      target.advance(shape);
      source.advance(shape);
    }
    return cudaSuccess;
  });
}

} // namespace

PEGASUS_API cudaError_t cudaMemcpy2DToArray(cudaArray_t target, std::size_t x, std::size_t y,
                                            void const* source, std::size_t pitch, std::size_t width,
                                            std::size_t height, cudaMemcpyKind kind) {
  return copy_rows(in(target, x, y), at(source, pitch), {width, height}, kind, synchronous());
}
PEGASUS_API cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t target, std::size_t x, std::size_t y,
                                                 void const* source, std::size_t pitch, std::size_t width,
                                                 std::size_t height, cudaMemcpyKind kind) {
  return copy_rows(in(target, x, y), at(source, pitch), {width, height}, kind, synchronous_per_thread());
}
PEGASUS_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t target, std::size_t x, std::size_t y,
                                                 void const* source, std::size_t pitch, std::size_t width,
                                                 std::size_t height, cudaMemcpyKind kind,
                                                 cudaStream_t stream) {
  return copy_rows(in(target, x, y), at(source, pitch), {width, height}, kind, pegasus::cudart::in(stream));
}

PEGASUS_API cudaError_t cudaMemcpy2DFromArray(void* target, std::size_t pitch, cudaArray_const_t source,
                                              std::size_t x, std::size_t y, std::size_t width,
                                              std::size_t height, cudaMemcpyKind kind) {
  return copy_rows(at(target, pitch), in(source, x, y), {width, height}, kind, synchronous());
}
PEGASUS_API cudaError_t cudaMemcpy2DFromArray_ptds(void* target, std::size_t pitch, cudaArray_const_t source,
                                                   std::size_t x, std::size_t y, std::size_t width,
                                                   std::size_t height, cudaMemcpyKind kind) {
  return copy_rows(at(target, pitch), in(source, x, y), {width, height}, kind, synchronous_per_thread());
}
PEGASUS_API cudaError_t cudaMemcpy2DFromArrayAsync(void* target, std::size_t pitch, cudaArray_const_t source,
                                                   std::size_t x, std::size_t y, std::size_t width,
                                                   std::size_t height, cudaMemcpyKind kind,
                                                   cudaStream_t stream) {
  return copy_rows(at(target, pitch), in(source, x, y), {width, height}, kind, pegasus::cudart::in(stream));
}

PEGASUS_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t target, std::size_t target_x,
                                                 std::size_t target_y, cudaArray_const_t source,
                                                 std::size_t source_x, std::size_t source_y,
                                                 std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy_rows(in(target, target_x, target_y), in(source, source_x, source_y), {width, height}, kind,
                   synchronous());
}
PEGASUS_API cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t target, std::size_t target_x,
                                                      std::size_t target_y, cudaArray_const_t source,
                                                      std::size_t source_x, std::size_t source_y,
                                                      std::size_t width, std::size_t height,
                                                      cudaMemcpyKind kind) {
  return copy_rows(in(target, target_x, target_y), in(source, source_x, source_y), {width, height}, kind,
                   synchronous_per_thread());
}

PEGASUS_API cudaError_t cudaMemcpyToArray(cudaArray_t target, std::size_t x, std::size_t y,
                                          void const* source, std::size_t bytes, cudaMemcpyKind kind) {
  return copy_range(in(target, x, y), at(source, 0), bytes, kind, synchronous());
}
PEGASUS_API cudaError_t cudaMemcpyToArray_ptds(cudaArray_t target, std::size_t x, std::size_t y,
                                               void const* source, std::size_t bytes, cudaMemcpyKind kind) {
  return copy_range(in(target, x, y), at(source, 0), bytes, kind, synchronous_per_thread());
}
PEGASUS_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t target, std::size_t x, std::size_t y,
                                               void const* source, std::size_t bytes, cudaMemcpyKind kind,
                                               cudaStream_t stream) {
  return copy_range(in(target, x, y), at(source, 0), bytes, kind, pegasus::cudart::in(stream));
}

PEGASUS_API cudaError_t cudaMemcpyFromArray(void* target, cudaArray_const_t source, std::size_t x,
                                            std::size_t y, std::size_t bytes, cudaMemcpyKind kind) {
  return copy_range(at(target, 0), in(source, x, y), bytes, kind, synchronous());
}
PEGASUS_API cudaError_t cudaMemcpyFromArray_ptds(void* target, cudaArray_const_t source, std::size_t x,
                                                 std::size_t y, std::size_t bytes, cudaMemcpyKind kind) {
  return copy_range(at(target, 0), in(source, x, y), bytes, kind, synchronous_per_thread());
}
PEGASUS_API cudaError_t cudaMemcpyFromArrayAsync(void* target, cudaArray_const_t source, std::size_t x,
                                                 std::size_t y, std::size_t bytes, cudaMemcpyKind kind,
                                                 cudaStream_t stream) {
  return copy_range(at(target, 0), in(source, x, y), bytes, kind, pegasus::cudart::in(stream));
}

PEGASUS_API cudaError_t cudaMemcpyArrayToArray(cudaArray_t target, std::size_t target_x, std::size_t target_y,
                                               cudaArray_const_t source, std::size_t source_x,
                                               std::size_t source_y, std::size_t bytes, cudaMemcpyKind kind) {
  return copy_range(in(target, target_x, target_y), in(source, source_x, source_y), bytes, kind,
                    synchronous());
}
PEGASUS_API cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t target, std::size_t target_x,
                                                    std::size_t target_y, cudaArray_const_t source,
                                                    std::size_t source_x, std::size_t source_y,
                                                    std::size_t bytes, cudaMemcpyKind kind) {
  return copy_range(in(target, target_x, target_y), in(source, source_x, source_y), bytes, kind,
                    synchronous_per_thread());
}
