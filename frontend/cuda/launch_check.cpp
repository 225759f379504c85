// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/launch_check.h"

#include "frontend/cuda/module.h"
#include "frontend/cuda/occupancy.h"

#include <algorithm>
#include <cstring>

namespace pegasus::driver {
namespace {

constexpr std::uint32_t cooperative_flag = 1; // struct pegasus_launch_request

// All blocks of a cooperative launch must be resident at once.
CUresult check_cooperative(Channel const& channel, Function const& function, LaunchShape const& shape) {
  if (attribute(channel, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) == 0) return CUDA_ERROR_NOT_SUPPORTED;
  std::uint64_t const blocks = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  std::uint64_t const threads = std::uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  int const resident =
      active_blocks(limits_of(channel), needs_of(function), static_cast<int>(threads), shape.dynamic_shared);
  auto const sms = static_cast<std::uint64_t>(attribute(channel, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  return blocks <= static_cast<std::uint64_t>(resident) * sms ? CUDA_SUCCESS
                                                              : CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

// Whether the grid consists of whole clusters.
CUresult check_clusters(Function const& function, LaunchShape const& shape) {
  bool const set = (shape.attributes.set & PEGASUS_LAUNCH_CLUSTER) != 0;
  if (!set && function.info.cluster_must_be_set != 0) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  for (unsigned axis = 0; axis < 3; ++axis) {
    unsigned const required = function.required_cluster[axis].load(std::memory_order_relaxed);
    unsigned const blocks = set ? shape.attributes.cluster[axis] : std::max(required, 1u);
    if (shape.grid[axis] % blocks != 0 || (required != 0 && blocks != required))
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  return CUDA_SUCCESS;
}

} // namespace

CUresult check_shape(Channel const& channel, Function const& function, LaunchShape const& shape) {
  auto const& limits = channel.profile().attribute;
  for (unsigned axis = 0; axis < 3; ++axis) {
    auto const max_grid = static_cast<unsigned>(limits[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + axis]);
    auto const max_block = static_cast<unsigned>(limits[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + axis]);
    if (shape.grid[axis] - 1 >= max_grid || shape.block[axis] - 1 >= max_block) // 0 wraps
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
  return check_clusters(function, shape);
}

CUresult check_launch(Channel& channel, Context const& where, void const* handle, LaunchShape const& shape,
                      bool cooperative, Function*& function) {
  function = find_function(handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (function->module->context == nullptr) { // a library's kernel runs in any context
    if (CUresult const status = refresh(channel, *function->module); status != CUDA_SUCCESS) return status;
  } else if (function->module->context != &where) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  CUresult const status = check_shape(channel, *function, shape);
  return status == CUDA_SUCCESS && cooperative ? check_cooperative(channel, *function, shape) : status;
}

CUresult gather(Function const& function, void* const* parameters, void* const* extra,
                std::span<std::byte> packed) {
  if (extra == nullptr) {
    if (parameters == nullptr && !function.parameters.empty()) return CUDA_ERROR_INVALID_VALUE;
    std::fill(packed.begin(), packed.end(), std::byte{}); // the gaps between parameters
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      if (parameters[i] == nullptr) return CUDA_ERROR_INVALID_VALUE;
      std::memcpy(packed.data() + function.parameters[i].offset, parameters[i], function.parameters[i].bytes);
    }
    return CUDA_SUCCESS;
  }
  void const* buffer = nullptr;
  std::size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1] != nullptr)
      bytes = *static_cast<std::size_t const*>(extra[1]);
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (bytes < packed.size() || (buffer == nullptr && !packed.empty())) return CUDA_ERROR_INVALID_VALUE;
  if (!packed.empty()) std::memcpy(packed.data(), buffer, packed.size());
  return CUDA_SUCCESS;
}

pegasus_launch_request launch_request(Function const& function, LaunchShape const& shape,
                                      std::uint64_t stream, bool cooperative) {
  pegasus_launch_request request{};
  request.function = function.remote;
  request.stream = stream;
  for (unsigned axis = 0; axis < 3; ++axis) {
    request.grid[axis] = shape.grid[axis];
    request.block[axis] = static_cast<std::uint16_t>(shape.block[axis]);
  }
  request.parameter_bytes = static_cast<std::uint16_t>(function.info.parameter_bytes);
  request.dynamic_shared_bytes = shape.dynamic_shared;
  request.flags = cooperative ? cooperative_flag : 0;
  return request;
}

} // namespace pegasus::driver
