// SPDX-License-Identifier: Apache-2.0
// Kernels with results that show which block did what. nvcc compiles them when the tests are built.
#include <cstdio>

#define KERNEL extern "C" __global__ void

__device__ unsigned finished, table[64] = {3, 1, 4, 1, 5};
__device__ unsigned* pointer = table + 8;

// A macro: a function would need its block index, and is a function in debugging output.
#define BLOCK_NUMBER ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x)

// Six numbers and a mark for each block.
KERNEL indices(unsigned* out) {
  unsigned* const mine = out + BLOCK_NUMBER * 8;
  if (threadIdx.x != 0) return;
  mine[0] = blockIdx.x, mine[1] = blockIdx.y, mine[2] = blockIdx.z;
  mine[3] = gridDim.x, mine[4] = gridDim.y, mine[5] = gridDim.z;
  atomicAdd(&mine[6], 1u); // once a block
}

// Indices of neighbours, different ones in the branches of a warp.
KERNEL diverging(unsigned* out, unsigned n) {
  unsigned const i = BLOCK_NUMBER * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = 0;
  switch (threadIdx.x % 4) {
  case 0:
    v = blockIdx.x;
    break;
  case 1:
    v = blockIdx.y + gridDim.z;
    break;
  case 2:
    for (unsigned k = 0; k < blockIdx.z + threadIdx.x % 3; ++k)
      v += gridDim.y * k + blockIdx.x;
    break;
  default:
    v = gridDim.x ^ blockIdx.y;
  }
  out[i] = v;
}

// Variables of the module: one that blocks count in, one read and written at fixed places, one pointer.
KERNEL last_block_of_all(unsigned* out) {
  __shared__ bool last;
  unsigned const blocks = gridDim.x * gridDim.y * gridDim.z;
  if (threadIdx.x == 0) {
    out[1 + BLOCK_NUMBER] = table[2] + BLOCK_NUMBER;
    pointer[BLOCK_NUMBER % 8] += 1;
    __threadfence();
    last = atomicAdd(&finished, 1u) == blocks - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  table[5] += finished;
  unsigned sum = 0;
  for (unsigned i = 0; i < blocks; ++i)
    sum += reinterpret_cast<unsigned volatile*>(out)[1 + i];
  out[0] = sum + table[5];
}

__device__ __noinline__ unsigned mixed(unsigned a, unsigned b) {
  return (a + table[a % 8]) * 2654435761u ^ b;
}
__device__ __noinline__ unsigned asks_for_its_block() { return blockIdx.x; }

KERNEL through_a_function(unsigned* out) {
  unsigned const i = BLOCK_NUMBER * blockDim.x + threadIdx.x;
  out[i] = mixed(i, gridDim.x);
}

KERNEL function_asks(unsigned* out) { out[blockIdx.x] = asks_for_its_block(); }

KERNEL says(unsigned n) {
  if (threadIdx.x < n) printf("%s %u,%u of %u,%u\n", "block", blockIdx.x, blockIdx.y, gridDim.x, gridDim.y);
}
