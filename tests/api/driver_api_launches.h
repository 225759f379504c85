// SPDX-License-Identifier: Apache-2.0
// Section of driver_api_behaviour.cpp: launches, functions and occupancy.
#pragma once

#include "tests/api/driver_api_kernels.h"

#include <cstdint>
#include <vector>

namespace {

constexpr unsigned scaled_count = 1000;

std::vector<std::uint32_t> download(CUdeviceptr data) {
  std::vector<std::uint32_t> values(scaled_count);
  WORKS(cuMemcpyDtoH(values.data(), data, scaled_count * 4));
  return values;
}

// The parameters come one by one, in a buffer, or with a configuration.
void parameters_of_a_launch(CUfunction scale) {
  unsigned count = scaled_count;
  std::vector<std::uint32_t> values(count, 5);
  CUdeviceptr data = 0;
  WORKS(cuMemAlloc(&data, count * 4));
  WORKS(cuMemcpyHtoD(data, values.data(), count * 4));

  std::uint32_t factor = 3;
  void* parameters[] = {&data, &factor, &count};
  WORKS(cuLaunchKernel(scale, (count + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr));
  values = download(data);
  bool right = true;
  for (unsigned i = 0; i < count; ++i)
    right = right && values[i] == 15 + i;
  EXPECT(right);

  struct {
    CUdeviceptr data;
    std::uint32_t factor, count;
  } packed = {data, 0, count};
  std::size_t bytes = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  WORKS(cuLaunchKernel(scale, (count + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra));
  values = download(data);
  EXPECT(values[0] == 0 && values[999] == 999);

  CUlaunchConfig config{};
  config.gridDimX = 8;
  config.blockDimX = 128;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  WORKS(cuLaunchKernelEx(&config, scale, parameters, nullptr));
  EXPECT(download(data)[10] == 10 * 3 + 10);
  WORKS(cuMemFree(data));
}

void shapes_of_a_launch(CUfunction nothing) {
  WORKS(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(nothing, 0, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(nothing, 1, 1, 1, 2048, 1, 1, 0, nullptr, nullptr, nullptr));
  GIVES(CUDA_ERROR_INVALID_VALUE,
        cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 1u << 24, nullptr, nullptr, nullptr));
  WORKS(cuCtxSynchronize());
}

void functions(CUfunction scale) {
  std::size_t offset = 0;
  std::size_t size = 0;
  WORKS(cuFuncGetParamInfo(scale, 2, &offset, &size));
  EXPECT(offset == 12 && size == 4);
  int threads = 0;
  WORKS(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
  EXPECT(threads >= 128);
  int blocks = 0;
  WORKS(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 128, 0));
  EXPECT(blocks >= 1);
  int grid = 0;
  int block = 0;
  WORKS(cuOccupancyMaxPotentialBlockSize(&grid, &block, scale, nullptr, 0, 0));
  EXPECT(grid >= 1 && block >= 32);
}

void launches() {
  CUmodule const module = kernels::load(kernels::scale_ptx);
  CUfunction const scale = kernels::function_of(module, "scale");
  CUfunction missing = nullptr;
  GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&missing, module, "not_there"));
  parameters_of_a_launch(scale);
  shapes_of_a_launch(kernels::function_of(module, "nothing"));
  functions(scale);
  WORKS(cuModuleUnload(module));
}

} // namespace
