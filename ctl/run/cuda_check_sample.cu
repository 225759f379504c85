// SPDX-License-Identifier: Apache-2.0
// A program with a kernel, built in several ways for cuda_check_test.cpp; never run.
__global__ void count(int* counter) { atomicAdd(counter, 1); }

int main() {
  int* counter = nullptr;
  if (cudaMalloc(&counter, sizeof *counter) != cudaSuccess) return 1;
  count<<<1, 1>>>(counter);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
