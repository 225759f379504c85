// SPDX-License-Identifier: Apache-2.0
// The README's example: a plain CUDA program, built by plain nvcc. It knows nothing of Pegasus.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

__global__ void saxpy(float a, float const* x, float* y, int count) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = a * x[i] + y[i];
}

static bool good(cudaError_t status) {
  if (status != cudaSuccess) std::fprintf(stderr, "saxpy: %s\n", cudaGetErrorString(status));
  return status == cudaSuccess;
}

int main() {
  int const count = 1 << 20;
  std::size_t const bytes = count * sizeof(float);
  std::vector<float> const x(count, 1.0f);
  std::vector<float> y(count, 2.0f);
  float *on_device_x = nullptr, *on_device_y = nullptr;
  if (!good(cudaMalloc(&on_device_x, bytes)) || !good(cudaMalloc(&on_device_y, bytes))) return 1;
  if (!good(cudaMemcpy(on_device_x, x.data(), bytes, cudaMemcpyHostToDevice))) return 1;
  if (!good(cudaMemcpy(on_device_y, y.data(), bytes, cudaMemcpyHostToDevice))) return 1;
  saxpy<<<(count + 255) / 256, 256>>>(3.0f, on_device_x, on_device_y, count);
  if (!good(cudaGetLastError())) return 1;
  if (!good(cudaMemcpy(y.data(), on_device_y, bytes, cudaMemcpyDeviceToHost))) return 1;
  float largest = 0;
  for (float const value : y)
    largest = std::fmax(largest, std::fabs(value - 5.0f));
  std::printf("%d elements, largest error %g\n", count, largest);
  cudaFree(on_device_x);
  cudaFree(on_device_y);
  return largest == 0 ? 0 : 1;
}
