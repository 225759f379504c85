// SPDX-License-Identifier: Apache-2.0
// The second file: accesses a variable of the first one if the program is device-linked.
#include <cuda_runtime.h>

#ifdef DEVICE_LINKED
extern __device__ int counter[8];
#else
static __device__ int counter[8];
#endif

__global__ void count(float const* data) {
  if (data[threadIdx.x] >= 0) atomicAdd(&counter[threadIdx.x % 8], 1);
}

cudaError_t run_part(float* data) {
  count<<<1, 32>>>(data);
  return cudaGetLastError();
}
