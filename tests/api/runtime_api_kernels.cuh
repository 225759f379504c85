// SPDX-License-Identifier: Apache-2.0
// Kernels and variables of runtime_api_behaviour.cu.
#pragma once

__constant__ int constants[16];
__device__ int variable = 11;
__device__ float table[64];

__global__ void add(int* data, int n, int value) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) data[i] += value;
}

struct Mixed {
  char tag;
  double factor;
  short offset[3];
};

__global__ void mixed(double* out, char a, Mixed by_value, short b) {
  *out = by_value.factor * by_value.offset[2] + by_value.tag + a + b;
}

__global__ void use_symbols(int* out) {
  out[threadIdx.x] = constants[threadIdx.x] + variable;
  if (threadIdx.x == 0) variable = 99;
}

__global__ void reverse(int* data) {
  extern __shared__ int block[];
  block[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = block[blockDim.x - 1 - threadIdx.x];
}

__global__ void static_shared(int* out) {
  __shared__ int block[256];
  block[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  *out = block[255];
}

__global__ void write_to(int* where) { *where = 1; }

template <class T> __global__ void __launch_bounds__(128) twice(T* data) { data[threadIdx.x] *= 2; }
