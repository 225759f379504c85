// SPDX-License-Identifier: Apache-2.0
// A ring of cells that spread to their neighbours, all steps in one cooperative launch: the whole grid
// synchronizes after each step (cooperative_groups::this_grid().sync()). The grid is the largest that fits on
// the device at once by occupancy; one block more is refused.
#include "workloads/common.h"

#include <cooperative_groups.h>

using namespace workload;

constexpr unsigned block_size = 128;

// Integer arithmetic, modulo 2^32: the same on the CPU.
__host__ __device__ unsigned next_of(unsigned left, unsigned own, unsigned right) {
  return left * 3 + own * 5 + right * 7;
}

__global__ void spread(unsigned* now, unsigned* next, unsigned cells, unsigned steps) {
  auto const grid = cooperative_groups::this_grid();
  for (unsigned step = 0; step < steps; ++step) {
    for (unsigned i = static_cast<unsigned>(grid.thread_rank()); i < cells;
         i += static_cast<unsigned>(grid.size()))
      next[i] = next_of(now[i == 0 ? cells - 1 : i - 1], now[i], now[i + 1 == cells ? 0 : i + 1]);
    grid.sync();
    unsigned* const done = next;
    next = now;
    now = done;
  }
}

static unsigned blocks_at_once() {
  int device = 0, processors = 0, cooperative = 0, blocks = 0;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
  if (cooperative == 0) fail("the device has no cooperative launches");
  CHECK_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, spread, block_size, 0));
  return static_cast<unsigned>(processors * blocks);
}

static void expect_too_large(cudaError_t status) {
  if (status != cudaErrorCooperativeLaunchTooLarge)
    fail("a grid larger than the device holds at once gives %s", cudaGetErrorName(status));
  (void)cudaGetLastError();
}

int main(int argc, char** argv) {
  std::uint64_t cells = 20000, steps = 40;
  Arguments("grid_sync", "Spreads a ring of cells step by step in one cooperative launch.")
      .number("--cells", cells, 2, 1u << 28, "cells of the ring")
      .number("--steps", steps, 1, 100000, "steps, with a barrier of the whole grid after each")
      .parse(argc, argv);

  Random random;
  std::vector<unsigned> now(cells), next(cells);
  for (unsigned& cell : now)
    cell = random.next();
  DeviceArray<unsigned> device_now(now), device_next(cells);
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::uint64_t i = 0; i < cells; ++i)
      next[i] = next_of(now[(i + cells - 1) % cells], now[i], now[(i + 1) % cells]);
    now.swap(next);
  }

  unsigned const blocks = blocks_at_once();
  if (blocks < 2) fail("the device holds %u blocks at once: none has another to wait for", blocks);
  unsigned *from = device_now.get(), *to = device_next.get();
  unsigned count = static_cast<unsigned>(cells), rounds = static_cast<unsigned>(steps);
  void* arguments[] = {&from, &to, &count, &rounds};
  void const* const kernel = reinterpret_cast<void const*>(spread);
  expect_too_large(cudaLaunchCooperativeKernel(kernel, blocks + 1, block_size, arguments));
  Stopwatch const watch;
  CHECK_CUDA(cudaLaunchCooperativeKernel(kernel, blocks, block_size, arguments));
  CHECK_CUDA(cudaDeviceSynchronize());
  double const seconds = watch.seconds();
  bool const same = (steps % 2 == 0 ? device_now : device_next).download() == now;
  return report({"grid_sync", cells * steps, "cells", seconds},
                same ? "" : "the cells differ from the CPU's");
}
