// SPDX-License-Identifier: Apache-2.0
// Kernel launches. nvcc 13 compiles k<<<...>>>(...) to __cudaPushCallConfiguration, and the
// stub of k to __cudaGetKernel (once), __cudaPopCallConfiguration and __cudaLaunchKernel. Older
// stubs call cudaLaunchKernel.
#include "frontend/cudart/registry.h"

#include <climits>

namespace pegasus::cudart {
namespace {

struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes;
  cudaStream_t stream;
};

// The arguments of a launch may launch kernels before the stub pops: a stack, but never a deep one.
constexpr unsigned max_configurations = 16;
struct Pending {
  unsigned depth;
  Configuration stack[max_configurations];
};
constinit thread_local Pending pending{};

bool within(Driver const& driver, CUdevice device, unsigned value, CUdevice_attribute limit) {
  int most = 0;
  if (driver.cuDeviceGetAttribute(&most, limit, device) != CUDA_SUCCESS) return true;
  return value != 0 && value <= static_cast<unsigned>(most);
}

// cuLaunchKernel returns INVALID_VALUE for a bad shape and for other bad arguments; the
// runtime distinguishes them.
cudaError_t explain(Driver const& driver, CUresult result, Configuration const& launch) {
  CUdevice device = 0;
  if (result != CUDA_ERROR_INVALID_VALUE || driver.cuCtxGetDevice(&device) != CUDA_SUCCESS)
    return from_driver(result);
  std::uint64_t const threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
  bool const shape_is_good =
      within(driver, device, launch.grid.x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) &&
      within(driver, device, launch.grid.y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y) &&
      within(driver, device, launch.grid.z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z) &&
      within(driver, device, launch.block.x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) &&
      within(driver, device, launch.block.y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y) &&
      within(driver, device, launch.block.z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z) && threads <= UINT_MAX &&
      within(driver, device, static_cast<unsigned>(threads), CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  return shape_is_good ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
}

// `submit(Driver const&, CUfunction)` returns a CUresult. Retries once if the context of the
// handle was replaced.
template <class Submit> cudaError_t attempt(void const* kernel, Configuration const& shape, Submit&& submit) {
  Driver const* driver = nullptr;
  CUcontext context = nullptr;
  CUfunction function = nullptr;
  if (cudaError_t const error = enter(driver, context); error != cudaSuccess) return finish(error);
  Symbol* const symbol = find_kernel(kernel);
  if (symbol == nullptr) return finish(cudaErrorInvalidDeviceFunction);
  if (shape.shared_bytes > UINT_MAX) return finish(cudaErrorInvalidValue);
  for (bool again = true;; again = false) {
    if (cudaError_t const error = resolve_kernel(*driver, context, *symbol, function); error != cudaSuccess)
      return finish(error);
    CUresult const result = submit(*driver, function);
    if (result == CUDA_SUCCESS) return cudaSuccess;
    bool const outlived =
        result == CUDA_ERROR_INVALID_HANDLE && forget_if_outlived(*driver, context, *symbol);
    if (!again || !outlived) return finish(explain(*driver, result, shape));
  }
}

cudaError_t launch(void const* kernel, Configuration const& shape, void** arguments) {
  return attempt(kernel, shape, [&](Driver const& driver, CUfunction function) {
    return driver.cuLaunchKernel(function, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x,
                                 shape.block.y, shape.block.z, static_cast<unsigned>(shape.shared_bytes),
                                 shape.stream, arguments, nullptr);
  });
}

cudaError_t launch_with_attributes(cudaLaunchConfig_t const* config, cudaStream_t stream, void const* kernel,
                                   void** arguments) {
  if (config == nullptr) return finish(cudaErrorInvalidValue);
  static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute)); // the same ids and values
  Configuration const shape{config->gridDim, config->blockDim, config->dynamicSmemBytes, stream};
  CUlaunchConfig const converted{config->gridDim.x,
                                 config->gridDim.y,
                                 config->gridDim.z,
                                 config->blockDim.x,
                                 config->blockDim.y,
                                 config->blockDim.z,
                                 static_cast<unsigned>(config->dynamicSmemBytes),
                                 stream,
                                 reinterpret_cast<CUlaunchAttribute*>(config->attrs),
                                 config->numAttrs};
  return attempt(kernel, shape, [&](Driver const& driver, CUfunction function) {
    return driver.cuLaunchKernelEx(&converted, function, arguments, nullptr);
  });
}

cudaStream_t stream_of(cudaLaunchConfig_t const* config) {
  return config == nullptr ? nullptr : config->stream;
}

} // namespace
} // namespace pegasus::cudart

using namespace pegasus::cudart;

// If it does not return 0, the caller skips the launch.
PEGASUS_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                                 cudaStream_t stream) {
  if (pending.depth == max_configurations)
    return static_cast<unsigned>(finish(cudaErrorInvalidConfiguration));
  pending.stack[pending.depth++] = {grid, block, shared_bytes, stream};
  return 0;
}

PEGASUS_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                                   void* stream) {
  if (pending.depth == 0) return finish(cudaErrorMissingConfiguration);
  Configuration const& top = pending.stack[--pending.depth];
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}

PEGASUS_API cudaError_t __cudaGetKernel(cudaKernel_t* kernel, void const* function) {
  if (kernel == nullptr) return finish(cudaErrorInvalidValue);
  return finish(kernel_handle(function, *kernel));
}

PEGASUS_API cudaError_t cudaGetKernel(cudaKernel_t* kernel, void const* function) {
  return __cudaGetKernel(kernel, function);
}

PEGASUS_API cudaError_t cudaLaunchKernel(void const* function, dim3 grid, dim3 block, void** arguments,
                                         std::size_t shared_bytes, cudaStream_t stream) {
  return launch(function, {grid, block, shared_bytes, stream}, arguments);
}
PEGASUS_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                           std::size_t shared_bytes, cudaStream_t stream) {
  return launch(kernel, {grid, block, shared_bytes, stream}, arguments);
}
// By hand: cuda_runtime_api.h does not declare it.
PEGASUS_API cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                                std::size_t shared_bytes, cudaStream_t stream) {
  return launch(kernel, {grid, block, shared_bytes, per_thread(stream)}, arguments);
}

PEGASUS_API cudaError_t cudaLaunchKernelExC(cudaLaunchConfig_t const* config, void const* function,
                                            void** arguments) {
  return launch_with_attributes(config, stream_of(config), function, arguments);
}
PEGASUS_API cudaError_t cudaLaunchKernelExC_ptsz(cudaLaunchConfig_t const* config, void const* function,
                                                 void** arguments) {
  return launch_with_attributes(config, per_thread(stream_of(config)), function, arguments);
}

PEGASUS_API cudaError_t cudaLaunchCooperativeKernel(void const* kernel, dim3 grid, dim3 block,
                                                    void** arguments, std::size_t shared_bytes,
                                                    cudaStream_t stream) {
  return attempt(kernel, {grid, block, shared_bytes, stream}, [&](Driver const& driver, CUfunction function) {
    return driver.cuLaunchCooperativeKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                            static_cast<unsigned>(shared_bytes), stream, arguments);
  });
}
