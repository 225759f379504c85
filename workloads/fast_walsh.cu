// SPDX-License-Identifier: Apache-2.0
// Fast Walsh-Hadamard transform: butterflies in shared memory for short strides, in global memory for long
// ones. Small whole numbers are exact in float, so every element must match bit for bit.
#include "workloads/common.h"

using namespace workload;

constexpr unsigned block_elements = 1024; // two per thread

__global__ void butterflies_in_global(float* data, unsigned stride) {
  unsigned const pair = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned const low = pair / stride * 2 * stride + pair % stride;
  float const a = data[low], b = data[low + stride];
  data[low] = a + b;
  data[low + stride] = a - b;
}

__global__ void butterflies_in_shared(float* data, unsigned elements) {
  __shared__ float part[block_elements];
  unsigned const size = min(elements, block_elements), base = blockIdx.x * size;
  for (unsigned i = threadIdx.x; i < size; i += blockDim.x)
    part[i] = data[base + i];
  for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    unsigned const low = threadIdx.x / stride * 2 * stride + threadIdx.x % stride;
    float const a = part[low], b = part[low + stride];
    part[low] = a + b;
    part[low + stride] = a - b;
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < size; i += blockDim.x)
    data[base + i] = part[i];
}

static void transform(float* data, unsigned elements) {
  unsigned stride = elements / 2;
  for (; stride >= block_elements; stride /= 2) {
    butterflies_in_global<<<elements / 2 / 256, 256>>>(data, stride);
    CHECK_CUDA(cudaGetLastError());
  }
  unsigned const size = std::min(elements, block_elements);
  butterflies_in_shared<<<elements / size, size / 2>>>(data, elements);
  CHECK_CUDA(cudaGetLastError());
}

static std::vector<double> transform_on_cpu(std::vector<float> const& input) {
  std::vector<double> data(input.begin(), input.end());
  for (std::size_t stride = 1; stride < data.size(); stride *= 2)
    for (std::size_t start = 0; start < data.size(); start += 2 * stride)
      for (std::size_t i = start; i < start + stride; ++i) {
        double const a = data[i], b = data[i + stride];
        data[i] = a + b;
        data[i + stride] = a - b;
      }
  return data;
}

int main(int argc, char** argv) {
  std::uint64_t log2_elements = 16;
  // At most 2^20 elements of magnitude 8: sums stay below 2^24, where float represents every integer.
  Arguments("fast_walsh", "Transforms a vector by Walsh-Hadamard, forth and back.")
      .number("--log2-elements", log2_elements, 1, 20, "binary logarithm of the length")
      .parse(argc, argv);

  unsigned const elements = 1u << log2_elements;
  Random random;
  std::vector<float> input(elements);
  for (float& value : input)
    value = static_cast<float>(static_cast<int>(random.next() >> 28) - 8);
  DeviceArray<float> data(input);

  Stopwatch const forth;
  transform(data.get(), elements);
  CHECK_CUDA(cudaDeviceSynchronize());
  double const forth_seconds = forth.seconds();
  std::string mismatch = first_mismatch("transform", data.download(), transform_on_cpu(input));

  Stopwatch const back;
  transform(data.get(), elements); // its own inverse, except for the factor
  CHECK_CUDA(cudaDeviceSynchronize());
  double const seconds = forth_seconds + back.seconds();
  std::vector<double> scaled(input.begin(), input.end());
  for (double& value : scaled)
    value *= elements;
  if (mismatch.empty()) mismatch = first_mismatch("transform of the transform", data.download(), scaled);
  return report({"fast_walsh", 2 * log2_elements * (elements / 2), "butterflies", seconds}, mismatch);
}
