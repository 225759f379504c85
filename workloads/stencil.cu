// SPDX-License-Identifier: Apache-2.0
// Heat diffusion: a 2D five-point stencil over several steps, each block's tile and its halo
// in shared memory.
#include "workloads/common.h"

using namespace workload;

constexpr unsigned tile = 16;
constexpr float diffusion = 0.2f; // stable below 0.25

__global__ void step(float const* __restrict__ before, float* __restrict__ after, unsigned width,
                     unsigned height) {
  __shared__ float part[tile + 2][tile + 2];
  int const left = static_cast<int>(blockIdx.x * tile) - 1, top = static_cast<int>(blockIdx.y * tile) - 1;
  for (unsigned i = threadIdx.y * tile + threadIdx.x; i < (tile + 2) * (tile + 2); i += tile * tile) {
    unsigned const row = i / (tile + 2), column = i % (tile + 2);
    // Outside the plate the nearest value is loaded; no cell that uses it is written.
    int const x = min(max(left + static_cast<int>(column), 0), static_cast<int>(width) - 1);
    int const y = min(max(top + static_cast<int>(row), 0), static_cast<int>(height) - 1);
    part[row][column] = before[static_cast<unsigned>(y) * width + static_cast<unsigned>(x)];
  }
  __syncthreads();
  unsigned const x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  if (x >= width || y >= height) return;
  unsigned const column = threadIdx.x + 1, row = threadIdx.y + 1;
  float const here = part[row][column];
  bool const edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
  float const around =
      part[row - 1][column] + part[row + 1][column] + part[row][column - 1] + part[row][column + 1];
  after[y * width + x] = edge ? here : here + diffusion * (around - 4 * here);
}

static void step_on_cpu(std::vector<double> const& before, std::vector<double>& after, std::size_t width,
                        std::size_t height) {
  after = before;
  for (std::size_t y = 1; y + 1 < height; ++y)
    for (std::size_t x = 1; x + 1 < width; ++x) {
      std::size_t const i = y * width + x;
      double const around = before[i - width] + before[i + width] + before[i - 1] + before[i + 1];
      after[i] = before[i] + static_cast<double>(diffusion) * (around - 4 * before[i]);
    }
}

int main(int argc, char** argv) {
  std::uint64_t width = 250, height = 200, steps = 10;
  Arguments("stencil", "Diffuses heat over a plate with a five-point stencil.")
      .number("--width", width, 1, 8192, "cells in a row")
      .number("--height", height, 1, 8192, "rows")
      .number("--steps", steps, 1, 100000, "time steps")
      .parse(argc, argv);

  Random random;
  std::vector<float> plate(width * height);
  for (float& heat : plate)
    heat = random.between(0, 1);
  std::vector<double> expected(plate.begin(), plate.end()), next;

  DeviceArray<float> first(plate), second(plate.size());
  float *before = first.get(), *after = second.get();
  dim3 const grid(blocks_for(width, tile), blocks_for(height, tile)), block(tile, tile);
  Stopwatch const watch;
  for (std::uint64_t i = 0; i < steps; ++i) {
    step<<<grid, block>>>(before, after, static_cast<unsigned>(width), static_cast<unsigned>(height));
    CHECK_CUDA(cudaGetLastError());
    std::swap(before, after);
  }
  CHECK_CUDA(cudaDeviceSynchronize());
  double const seconds = watch.seconds();

  for (std::uint64_t i = 0; i < steps; ++i) {
    step_on_cpu(expected, next, width, height);
    expected.swap(next);
  }
  std::vector<float> const got = before == first.get() ? first.download() : second.download();
  // A step averages: rounding errors (2^-23 each) add up but do not grow.
  double const tolerance = 1e-6 + 3e-7 * static_cast<double>(steps);
  return report({"stencil", width * height * steps, "cells", seconds},
                first_mismatch("heat", got, expected, tolerance));
}
