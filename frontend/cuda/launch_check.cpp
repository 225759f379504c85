// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/launch_check.h"

namespace pegasus::driver {

CUresult check_shape(Channel const& channel, Function const& function, LaunchShape const& shape) {
  auto const& limits = channel.profile().attribute;
  for (unsigned axis = 0; axis < 3; ++axis) {
    auto const grid_max = static_cast<unsigned>(limits[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + axis]);
    auto const block_max = static_cast<unsigned>(limits[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + axis]);
    if (shape.grid[axis] - 1 >= grid_max || shape.block[axis] - 1 >= block_max) // 0 wraps
      return CUDA_ERROR_INVALID_VALUE;
    if (shape.block[axis] > 0xffff) return CUDA_ERROR_INVALID_VALUE; // the wire's width
  }
  std::uint64_t const threads = std::uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  if (threads > static_cast<std::uint64_t>(limits[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK]))
    return CUDA_ERROR_INVALID_VALUE;
  if (threads > function.info.max_threads_per_block) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (shape.dynamic_shared >
      static_cast<unsigned>(function.dynamic_shared_limit.load(std::memory_order_relaxed)))
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

} // namespace pegasus::driver
