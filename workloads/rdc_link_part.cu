// SPDX-License-Identifier: Apache-2.0
#include "workloads/rdc_link.h"

__device__ unsigned calls_of_part;
__constant__ unsigned weights[4] = {3, 5, 7, 11};

extern __device__ unsigned scramble(unsigned x); // defined in rdc_link.cu

// The same name exists in the other file: the two must stay separate.
static __device__ unsigned local_value = 100;

__device__ unsigned weigh(unsigned x) {
  atomicAdd(&calls_of_part, 1u);
  return scramble(x) * weights[x % 4] + local_value;
}

static __device__ __noinline__ unsigned add_rotated(unsigned a, unsigned b) { return a + (b << 7 | b >> 25); }

__device__ Combine combine = add_rotated;
