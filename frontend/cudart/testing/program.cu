// SPDX-License-Identifier: Apache-2.0
// An ordinary CUDA program of two files: kernels, a template, variables. It prints the runtime's results; the
// recording driver executes nothing, so no computed results are checked here.
#include <cstdio>
#include <cuda_runtime.h>

__constant__ float factor;
__device__ int counter[8];

template <class T> __global__ void scale(T* data, int n) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) data[i] = data[i] * static_cast<T>(factor) + static_cast<T>(counter[0]);
}

cudaError_t run_part(float* data);

namespace {

int failures = 0;
void check(char const* what, cudaError_t error) {
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  if (error != cudaSuccess) ++failures;
}

} // namespace

int main() {
  float* data = nullptr;
  float const two = 2;
  int values[8] = {};
  check("malloc", cudaMalloc(&data, 1024 * sizeof(float)));
  check("to symbol", cudaMemcpyToSymbol(factor, &two, sizeof two));
  check("memset", cudaMemset(data, 0, 1024 * sizeof(float)));
  scale<float><<<4, 256>>>(data, 1024);
  check("launch", cudaGetLastError());
  check("part", run_part(data));
  check("from symbol", cudaMemcpyFromSymbol(values, counter, sizeof values));
  check("synchronize", cudaDeviceSynchronize());
  check("free", cudaFree(data));
  std::printf("failures: %d\n", failures);
  return failures == 0 ? 0 : 1;
}
