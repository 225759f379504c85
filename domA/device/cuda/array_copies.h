// SPDX-License-Identifier: Apache-2.0
// Copies to, from and between arrays, as the driver takes them.
#pragma once

#include "domA/device/cuda/array_table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace pegasus::cuda {

// What the rows of a copy are at: a level of an array, device memory or host memory.
struct CopyEnd {
  std::optional<InLevel> in_level;
  CUdeviceptr device = 0;
  void* host = nullptr; // nullptr: the device's
  std::uint64_t pitch = 0;
};

// As for boxes_of(): what is not in an array must be where it is said to be.
[[nodiscard]] std::optional<std::vector<CUDA_MEMCPY3D>>
array_copies(CopyEnd const& target, CopyEnd const& source, std::uint64_t row_bytes, std::uint64_t rows);

} // namespace pegasus::cuda
