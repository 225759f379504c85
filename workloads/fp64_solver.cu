// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients (Hestenes and Stiefel 1952) in double precision on the five-point Laplacian of
// a square: fp64 arithmetic, shared-memory reductions with fp64 atomics, and a small synchronous copy
// in every iteration.
#include "workloads/common.h"

using namespace workload;

constexpr unsigned block_size = 128;

__host__ __device__ inline double laplacian_at(double const* x, unsigned side, unsigned i) {
  unsigned const column = i % side, row = i / side;
  double sum = 4 * x[i]; // zero outside the border
  if (column > 0) sum -= x[i - 1];
  if (column + 1 < side) sum -= x[i + 1];
  if (row > 0) sum -= x[i - side];
  if (row + 1 < side) sum -= x[i + side];
  return sum;
}

__device__ void add_block_sum(double value, double* total) {
  __shared__ double sums[block_size];
  sums[threadIdx.x] = value;
  for (unsigned half = block_size / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(total, sums[0]);
}

// product = A direction, and its dot product with the direction.
__global__ void apply(double const* __restrict__ direction, double* __restrict__ product, unsigned side,
                      double* dot) {
  unsigned const i = blockIdx.x * block_size + threadIdx.x;
  double mine = 0;
  if (i < side * side) {
    product[i] = laplacian_at(direction, side, i);
    mine = product[i] * direction[i];
  }
  add_block_sum(mine, dot);
}

__global__ void advance(double* x, double* residual, double const* __restrict__ direction,
                        double const* __restrict__ product, double step, unsigned n, double* squares) {
  unsigned const i = blockIdx.x * block_size + threadIdx.x;
  double mine = 0;
  if (i < n) {
    x[i] += step * direction[i];
    double const left = residual[i] - step * product[i];
    residual[i] = left;
    mine = left * left;
  }
  add_block_sum(mine, squares);
}

__global__ void turn(double* direction, double const* __restrict__ residual, double factor, unsigned n) {
  unsigned const i = blockIdx.x * block_size + threadIdx.x;
  if (i < n) direction[i] = residual[i] + factor * direction[i];
}

struct Solution {
  std::vector<double> x;
  std::uint64_t iterations;
};

static Solution solve(std::vector<double> const& right, unsigned side, std::uint64_t limit,
                      double relative_residual) {
  unsigned const n = side * side, blocks = blocks_for(n, block_size);
  DeviceArray<double> x(n), residual(right), direction(right), product(n), scalar(1);
  x.fill_bytes(0);
  double squares = 0;
  for (double const value : right)
    squares += value * value;
  double const enough = squares * relative_residual * relative_residual;
  std::uint64_t iteration = 0;
  while (iteration < limit && squares > enough) {
    scalar.fill_bytes(0);
    apply<<<blocks, block_size>>>(direction.get(), product.get(), side, scalar.get());
    CHECK_CUDA(cudaGetLastError());
    double const step = squares / scalar.download()[0];
    scalar.fill_bytes(0);
    advance<<<blocks, block_size>>>(x.get(), residual.get(), direction.get(), product.get(), step, n,
                                    scalar.get());
    CHECK_CUDA(cudaGetLastError());
    double const next = scalar.download()[0];
    turn<<<blocks, block_size>>>(direction.get(), residual.get(), next / squares, n);
    CHECK_CUDA(cudaGetLastError());
    squares = next;
    ++iteration;
  }
  return {x.download(), iteration};
}

int main(int argc, char** argv) {
  std::uint64_t side = 48, limit = 2000;
  Arguments("fp64_solver",
            "Solves the Poisson equation on a square by conjugate gradients in double precision.")
      .number("--side", side, 1, 1024, "unknowns along a side of the square")
      .number("--iterations", limit, 1, 1000000, "give up after so many iterations")
      .parse(argc, argv);

  unsigned const n = static_cast<unsigned>(side * side);
  Random random;
  std::vector<double> truth(n), right(n);
  for (double& value : truth)
    value = static_cast<double>(random.between(-1, 1));
  for (unsigned i = 0; i < n; ++i)
    right[i] = laplacian_at(truth.data(), static_cast<unsigned>(side), i);

  Stopwatch const watch;
  Solution const solution = solve(right, static_cast<unsigned>(side), limit, 1e-13);
  double const seconds = watch.seconds();
  // |error| <= |residual| / (smallest eigenvalue, about 20 / side^2), and |residual| <= 1e-13 |right|, which
  // grows as side.
  double const tolerance = 1e-12 + 1e-13 * static_cast<double>(side * side * side);
  return report({"fp64_solver", solution.iterations, "iterations", seconds},
                first_mismatch("x", solution.x, truth, tolerance));
}
