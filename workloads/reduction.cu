// SPDX-License-Identifier: Apache-2.0
// Sum, maximum and count of a vector with warp shuffles (down and butterfly), votes and one value per warp in
// shared memory; a second launch of the same kernel shape reduces the blocks' results.
#include "workloads/common.h"

#include <climits>

using namespace workload;

constexpr unsigned block_size = 256, warps = block_size / 32, whole_warp = 0xffffffffu;

struct Partial {
  long long sum;
  int maximum;
  unsigned negatives;
};

__device__ Partial reduce_warp(Partial mine) {
  for (int distance = 16; distance > 0; distance /= 2) {
    mine.sum += __shfl_down_sync(whole_warp, mine.sum, distance);
    mine.maximum = max(mine.maximum, __shfl_xor_sync(whole_warp, mine.maximum, distance));
    mine.negatives += __shfl_down_sync(whole_warp, mine.negatives, distance);
  }
  return mine; // complete in lane 0
}

__device__ void reduce_block(Partial mine, Partial* result) {
  __shared__ Partial of_warp[warps];
  unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  mine = reduce_warp(mine);
  if (lane == 0) of_warp[warp] = mine;
  __syncthreads();
  if (warp != 0) return;
  mine = reduce_warp(lane < warps ? of_warp[lane] : Partial{0, INT_MIN, 0});
  if (lane == 0) *result = mine;
}

__global__ void reduce_values(int const* __restrict__ values, unsigned elements, Partial* of_block) {
  Partial mine{0, INT_MIN, 0};
  unsigned const stride = gridDim.x * blockDim.x, rounds = (elements + stride - 1) / stride;
  for (unsigned round = 0; round < rounds;
       ++round) { // the same count in all lanes: the vote needs the whole warp
    unsigned const i = round * stride + blockIdx.x * blockDim.x + threadIdx.x;
    int const value = i < elements ? values[i] : 0;
    unsigned const negative = __ballot_sync(whole_warp, i < elements && value < 0);
    if (threadIdx.x % 32 == 0) mine.negatives += __popc(negative);
    mine.sum += value;
    if (i < elements) mine.maximum = max(mine.maximum, value);
  }
  reduce_block(mine, of_block + blockIdx.x);
}

__global__ void reduce_partials(Partial const* of_block, unsigned blocks, Partial* result) {
  Partial mine{0, INT_MIN, 0};
  for (unsigned i = threadIdx.x; i < blocks; i += blockDim.x) {
    mine.sum += of_block[i].sum;
    mine.maximum = max(mine.maximum, of_block[i].maximum);
    mine.negatives += of_block[i].negatives;
  }
  reduce_block(mine, result);
}

static std::string compare(Partial const& got, Partial const& expected) {
  if (got.sum != expected.sum)
    return "the sum is " + std::to_string(got.sum) + ", expected " + std::to_string(expected.sum);
  if (got.maximum != expected.maximum)
    return "the maximum is " + std::to_string(got.maximum) + ", expected " + std::to_string(expected.maximum);
  if (got.negatives != expected.negatives)
    return "the negatives are " + std::to_string(got.negatives) + ", expected " +
           std::to_string(expected.negatives);
  return {};
}

int main(int argc, char** argv) {
  std::uint64_t elements = 1000003, blocks = 64;
  Arguments("reduction", "Reduces a vector of integers to its sum, its maximum and its count of negatives.")
      .number("--elements", elements, 1, 1u << 28, "length of the vector")
      .number("--blocks", blocks, 1, 65535, "blocks of the first launch")
      .parse(argc, argv);

  Random random;
  std::vector<int> values(elements);
  Partial expected{0, INT_MIN, 0};
  for (int& value : values) {
    value = static_cast<int>(random.next());
    expected.sum += value;
    expected.maximum = std::max(expected.maximum, value);
    expected.negatives += value < 0;
  }

  DeviceArray<int> device_values(values);
  DeviceArray<Partial> of_block(blocks), result(1);
  Stopwatch const watch;
  reduce_values<<<static_cast<unsigned>(blocks), block_size>>>(
      device_values.get(), static_cast<unsigned>(elements), of_block.get());
  CHECK_CUDA(cudaGetLastError());
  reduce_partials<<<1, block_size>>>(of_block.get(), static_cast<unsigned>(blocks), result.get());
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  double const seconds = watch.seconds();
  return report({"reduction", elements, "elements", seconds}, compare(result.download()[0], expected));
}
