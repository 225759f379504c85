// SPDX-License-Identifier: Apache-2.0
__global__ void twice(float* values, int count) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[i] *= 2.0f;
}
