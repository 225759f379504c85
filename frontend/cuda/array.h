// SPDX-License-Identifier: Apache-2.0
// Arrays and mipmapped arrays. An array is a range of addresses to which copies can be made, laid out as
// frontend/protocol/array_layout.h says; the program knows its handle only.
#pragma once

#include "frontend/cuda/array_description.h"
#include "frontend/cuda/context.h"
#include "frontend/protocol/array_layout.h"

#include <cstdint>
#include <vector>

namespace pegasus::driver {

struct MipmappedArray;

struct Array {
  using Handle = CUarray;
  static constexpr Kind kind = Kind::array;

  Context* context = nullptr;
  CUarray handle = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR description{};
  std::uint64_t address = 0;
  pegasus_array_level level{};             // its extents; offset does not matter
  MipmappedArray const* part_of = nullptr; // which ends it
};

struct MipmappedArray {
  using Handle = CUmipmappedArray;
  static constexpr Kind kind = Kind::mipmapped_array;

  Context* context = nullptr;
  CUmipmappedArray handle = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR description{};
  std::uint64_t address = 0;
  std::vector<Array*> levels;
};

// Ends what a context has left.
void destroy(Channel& channel, Array& array);
void destroy(Channel& channel, MipmappedArray& array);

} // namespace pegasus::driver
