// SPDX-License-Identifier: Apache-2.0
// 256-bin histogram with atomics: in shared memory with one merge per block, and directly in global memory;
// also 64-bit, compare-and-swap and minimum/maximum atomics.
#include "workloads/common.h"

using namespace workload;

constexpr unsigned bins = 256, block_size = 256;

struct Extremes {
  unsigned long long sum; // of all bytes
  unsigned lowest, highest;
  float zeros_by_swap; // half of the number of zero bytes, summed in float by compare-and-swap
};

__global__ void count_in_shared(unsigned char const* __restrict__ bytes, unsigned elements,
                                unsigned* histogram) {
  __shared__ unsigned local[bins];
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
    local[bin] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += gridDim.x * blockDim.x)
    atomicAdd(&local[bytes[i]], 1u);
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
    atomicAdd(&histogram[bin], local[bin]);
}

__device__ void add_by_swap(float* where, float value) {
  unsigned* const word = reinterpret_cast<unsigned*>(where);
  unsigned seen = *word, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(word, assumed, __float_as_uint(__uint_as_float(assumed) + value));
  } while (seen != assumed);
}

__global__ void count_in_global(unsigned char const* __restrict__ bytes, unsigned elements,
                                unsigned* histogram, Extremes* extremes) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += gridDim.x * blockDim.x) {
    unsigned const value = bytes[i];
    atomicAdd(&histogram[value], 1u);
    atomicAdd(&extremes->sum, static_cast<unsigned long long>(value));
    atomicMin(&extremes->lowest, value);
    atomicMax(&extremes->highest, value);
    if (value == 0) add_by_swap(&extremes->zeros_by_swap, 0.5f);
  }
}

static std::string compare(Extremes const& got, Extremes const& expected) {
  if (got.sum != expected.sum) return "the 64-bit atomic sum is " + std::to_string(got.sum);
  if (got.lowest != expected.lowest) return "the atomic minimum is " + std::to_string(got.lowest);
  if (got.highest != expected.highest) return "the atomic maximum is " + std::to_string(got.highest);
  if (got.zeros_by_swap != expected.zeros_by_swap)
    return "the compare-and-swap sum is " + std::to_string(got.zeros_by_swap);
  return {};
}

int main(int argc, char** argv) {
  std::uint64_t elements = 300000, blocks = 32;
  Arguments("histogram", "Counts byte values by atomics in shared and in global memory.")
      .number("--elements", elements, 1, 1u << 23, "bytes to count")
      .number("--blocks", blocks, 1, 65535, "blocks of each launch")
      .parse(argc, argv);

  Random random;
  std::vector<unsigned char> bytes(elements);
  std::vector<unsigned> expected(bins, 0);
  Extremes expected_extremes{0, bins, 0, 0};
  for (unsigned char& byte : bytes) {
    std::uint32_t const wide = random.next();
    byte = static_cast<unsigned char>((wide >> 8) & (wide >> 16)); // uneven: low values collide often
    ++expected[byte];
    expected_extremes.sum += byte;
    expected_extremes.lowest = std::min<unsigned>(expected_extremes.lowest, byte);
    expected_extremes.highest = std::max<unsigned>(expected_extremes.highest, byte);
  }
  expected_extremes.zeros_by_swap = 0.5f * static_cast<float>(expected[0]);

  DeviceArray<unsigned char> device_bytes(bytes);
  DeviceArray<unsigned> by_shared(bins), by_global(bins);
  DeviceArray<Extremes> extremes(std::vector<Extremes>{{0, bins, 0, 0}});
  by_shared.fill_bytes(0);
  by_global.fill_bytes(0);
  unsigned const grid = static_cast<unsigned>(blocks), count = static_cast<unsigned>(elements);
  Stopwatch const watch;
  count_in_shared<<<grid, block_size>>>(device_bytes.get(), count, by_shared.get());
  CHECK_CUDA(cudaGetLastError());
  count_in_global<<<grid, block_size>>>(device_bytes.get(), count, by_global.get(), extremes.get());
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  double const seconds = watch.seconds();

  std::string mismatch = first_mismatch("shared histogram", by_shared.download(), expected);
  if (mismatch.empty()) mismatch = first_mismatch("global histogram", by_global.download(), expected);
  if (mismatch.empty()) mismatch = compare(extremes.download()[0], expected_extremes);
  return report({"histogram", 2 * elements, "elements", seconds}, mismatch);
}
