// SPDX-License-Identifier: Apache-2.0
extern __device__ int elsewhere;
extern __device__ float other(float);
__global__ void calls(float* p) { *p = other(*p) + static_cast<float>(elsewhere); }
