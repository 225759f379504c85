// SPDX-License-Identifier: Apache-2.0
// Tiled matrix product, once with static and once with dynamic shared memory (whose tile side is known only
// at run time); sizes need not be multiples of a tile.
#include "workloads/common.h"

using namespace workload;

constexpr unsigned static_tile = 16;

__global__ void multiply_static(float const* __restrict__ a, float const* __restrict__ b,
                                float* __restrict__ c, unsigned n) {
  __shared__ float tile_a[static_tile][static_tile], tile_b[static_tile][static_tile];
  unsigned const row = blockIdx.y * static_tile + threadIdx.y,
                 column = blockIdx.x * static_tile + threadIdx.x;
  float sum = 0;
  for (unsigned start = 0; start < n; start += static_tile) {
    unsigned const k_a = start + threadIdx.x, k_b = start + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < n && k_a < n ? a[row * n + k_a] : 0;
    tile_b[threadIdx.y][threadIdx.x] = k_b < n && column < n ? b[k_b * n + column] : 0;
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < static_tile; ++k)
      sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

__global__ void multiply_dynamic(float const* __restrict__ a, float const* __restrict__ b,
                                 float* __restrict__ c, unsigned n) {
  extern __shared__ float tiles[]; // two adjacent tiles
  unsigned const tile = blockDim.x;
  float* const tile_a = tiles;
  float* const tile_b = tiles + tile * tile;
  unsigned const row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (unsigned start = 0; start < n; start += tile) {
    unsigned const k_a = start + threadIdx.x, k_b = start + threadIdx.y;
    tile_a[threadIdx.y * tile + threadIdx.x] = row < n && k_a < n ? a[row * n + k_a] : 0;
    tile_b[threadIdx.y * tile + threadIdx.x] = k_b < n && column < n ? b[k_b * n + column] : 0;
    __syncthreads();
    for (unsigned k = 0; k < tile; ++k)
      sum += tile_a[threadIdx.y * tile + k] * tile_b[k * tile + threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

static std::vector<double> multiply_on_cpu(std::vector<float> const& a, std::vector<float> const& b,
                                           std::size_t n) {
  std::vector<double> c(n * n, 0.0);
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t column = 0; column < n; ++column)
        c[row * n + column] += static_cast<double>(a[row * n + k]) * static_cast<double>(b[k * n + column]);
  return c;
}

int main(int argc, char** argv) {
  std::uint64_t size = 184, dynamic_tile = 32, repeats = 1;
  Arguments("matrix_mul", "Multiplies two square matrices of floats through tiles in shared memory.")
      .number("--size", size, 1, 4096, "rows and columns")
      .number("--tile", dynamic_tile, 1, 32, "side of the tile in dynamic shared memory")
      .number("--repeats", repeats, 1, 100000, "launches of each kernel")
      .parse(argc, argv);

  Random random;
  std::vector<float> a(size * size), b(size * size);
  for (float& value : a)
    value = random.between(-1, 1);
  for (float& value : b)
    value = random.between(-1, 1);

  unsigned const n = static_cast<unsigned>(size), tile = static_cast<unsigned>(dynamic_tile);
  DeviceArray<float> device_a(a), device_b(b), by_static(size * size), by_dynamic(size * size);
  dim3 const static_grid(blocks_for(n, static_tile), blocks_for(n, static_tile)),
      static_block(static_tile, static_tile);
  dim3 const dynamic_grid(blocks_for(n, tile), blocks_for(n, tile)), dynamic_block(tile, tile);
  std::size_t const dynamic_bytes = 2 * sizeof(float) * tile * tile;
  Stopwatch const watch;
  for (std::uint64_t i = 0; i < repeats; ++i) {
    multiply_static<<<static_grid, static_block>>>(device_a.get(), device_b.get(), by_static.get(), n);
    CHECK_CUDA(cudaGetLastError());
    multiply_dynamic<<<dynamic_grid, dynamic_block, dynamic_bytes>>>(device_a.get(), device_b.get(),
                                                                     by_dynamic.get(), n);
    CHECK_CUDA(cudaGetLastError());
  }
  CHECK_CUDA(cudaDeviceSynchronize());
  double const seconds = watch.seconds();

  // A dot product of n terms below 1: n roundings of at most 2^-24 of the running sum.
  double const tolerance = 1e-7 * static_cast<double>(size) + 1e-6;
  std::vector<double> const expected = multiply_on_cpu(a, b, size);
  std::string mismatch = first_mismatch("static product", by_static.download(), expected, tolerance);
  if (mismatch.empty())
    mismatch = first_mismatch("dynamic product", by_dynamic.download(), expected, tolerance);
  return report({"matrix_mul", 2 * 2 * size * size * size * repeats, "flop", seconds}, mismatch);
}
