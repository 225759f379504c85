// SPDX-License-Identifier: Apache-2.0
// Inclusive prefix sum: shuffles inside a warp, shared memory inside a block, and across blocks by scanning
// their totals (again in blocks, to any depth) and adding them.
#include "workloads/common.h"

using namespace workload;

constexpr unsigned block_size = 256, whole_warp = 0xffffffffu;

__device__ unsigned scan_warp(unsigned value) {
  unsigned const lane = threadIdx.x % 32;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    unsigned const below = __shfl_up_sync(whole_warp, value, distance);
    if (lane >= distance) value += below;
  }
  return value;
}

__global__ void scan_blocks(unsigned const* input, unsigned* output, unsigned* totals, unsigned elements) {
  __shared__ unsigned warp_totals[block_size / 32];
  unsigned const i = blockIdx.x * block_size + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned value = scan_warp(i < elements ? input[i] : 0);
  if (lane == 31) warp_totals[warp] = value;
  __syncthreads();
  if (warp == 0) {
    unsigned const total = scan_warp(lane < block_size / 32 ? warp_totals[lane] : 0);
    if (lane < block_size / 32) warp_totals[lane] = total;
  }
  __syncthreads();
  if (warp > 0) value += warp_totals[warp - 1];
  if (i < elements) output[i] = value;
  if (threadIdx.x == block_size - 1) totals[blockIdx.x] = value;
}

__global__ void add_totals(unsigned* output, unsigned const* totals, unsigned elements) {
  unsigned const i = (blockIdx.x + 1) * block_size + threadIdx.x; // no elements precede the first block
  if (i < elements) output[i] += totals[blockIdx.x];
}

static void scan(unsigned const* input, unsigned* output, unsigned elements) {
  unsigned const blocks = blocks_for(elements, block_size);
  DeviceArray<unsigned> totals(blocks);
  scan_blocks<<<blocks, block_size>>>(input, output, totals.get(), elements);
  CHECK_CUDA(cudaGetLastError());
  if (blocks == 1) return;
  scan(totals.get(), totals.get(), blocks); // in place: a block reads its part before it writes it
  add_totals<<<blocks - 1, block_size>>>(output, totals.get(), elements);
  CHECK_CUDA(cudaGetLastError());
}

int main(int argc, char** argv) {
  std::uint64_t elements = 500001;
  Arguments("scan", "Computes the prefix sums of a vector.")
      .number("--elements", elements, 1, 1u << 28, "length of the vector")
      .parse(argc, argv);

  Random random;
  std::vector<unsigned> input(elements), expected(elements);
  unsigned sum = 0; // modulo 2^32, on both sides
  for (std::size_t i = 0; i < elements; ++i) {
    input[i] = random.next();
    expected[i] = sum += input[i];
  }

  DeviceArray<unsigned> device_input(input), output(elements);
  Stopwatch const watch;
  scan(device_input.get(), output.get(), static_cast<unsigned>(elements));
  CHECK_CUDA(cudaDeviceSynchronize());
  double const seconds = watch.seconds();
  return report({"scan", elements, "elements", seconds},
                first_mismatch("prefix", output.download(), expected));
}
