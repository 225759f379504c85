// SPDX-License-Identifier: Apache-2.0
// Execution control before CUDA 4.0, which pycuda still uses: a kernel keeps its block, its parameters and its shared
// memory between launches.
#include "frontend/cuda/deprecated_launch.h"

#include "frontend/cuda/function.h"

#include <algorithm>
#include <cstring>

namespace pegasus::driver {
namespace {

constexpr std::size_t most_parameter_bytes = 32764; // of any kernel

template <class Body> CUresult with_state(CUfunction handle, Body body) {
  return with_context([&](Channel&, Context&) {
    Function* const function = find_function(handle);
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    std::lock_guard const lock(function->deprecated.mutex);
    return body(function->deprecated);
  });
}

CUresult set_parameter(CUfunction handle, int offset, void const* value, std::size_t bytes) {
  if (offset < 0 || value == nullptr || bytes > most_parameter_bytes ||
      static_cast<std::size_t>(offset) > most_parameter_bytes - bytes)
    return CUDA_ERROR_INVALID_VALUE;
  return with_state(handle, [&](LaunchState& state) {
    std::size_t const first = static_cast<std::size_t>(offset);
    state.parameters.resize(std::max(state.parameters.size(), first + bytes));
    std::memcpy(state.parameters.data() + first, value, bytes);
    return CUDA_SUCCESS;
  });
}

CUresult launch(CUfunction handle, int width, int height, CUstream stream) {
  std::array<unsigned, 3> block{};
  unsigned shared = 0;
  std::vector<std::byte> parameters;
  CUresult const status = with_state(handle, [&](LaunchState& state) {
    block = state.block;
    shared = state.dynamic_shared;
    parameters = state.parameters;
    parameters.resize(state.parameter_bytes);
    return CUDA_SUCCESS;
  });
  if (status != CUDA_SUCCESS) return status;
  if (width < 1 || height < 1) return CUDA_ERROR_INVALID_VALUE;
  std::size_t bytes = parameters.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, parameters.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  return cuLaunchKernel(handle, static_cast<unsigned>(width), static_cast<unsigned>(height), 1, block[0],
                        block[1], block[2], shared, stream, nullptr, bytes == 0 ? nullptr : extra);
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
  if (x < 1 || y < 1 || z < 1) return CUDA_ERROR_INVALID_VALUE;
  return with_state(function, [&](LaunchState& state) {
    state.block = {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes) {
  return with_state(function, [&](LaunchState& state) {
    state.dynamic_shared = bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuParamSetSize(CUfunction function, unsigned bytes) {
  if (bytes > most_parameter_bytes) return CUDA_ERROR_INVALID_VALUE;
  return with_state(function, [&](LaunchState& state) {
    state.parameter_bytes = bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned value) {
  return set_parameter(function, offset, &value, sizeof value);
}
CUresult cuParamSetf(CUfunction function, int offset, float value) {
  return set_parameter(function, offset, &value, sizeof value);
}
CUresult cuParamSetv(CUfunction function, int offset, void* value, unsigned bytes) {
  return set_parameter(function, offset, value, bytes);
}

CUresult cuLaunch(CUfunction function) { return launch(function, 1, 1, nullptr); }
CUresult cuLaunchGrid(CUfunction function, int width, int height) {
  return launch(function, width, height, nullptr);
}
CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream) {
  return launch(function, width, height, stream);
}
