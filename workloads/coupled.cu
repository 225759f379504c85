// SPDX-License-Identifier: Apache-2.0
// A program whose halves on CPU and GPU depend on each other: each step launches kernels, computes on the
// CPU at the same time (or before them, with --in-turn 1), and waits for both. Coscheduling is for such
// programs: the tightly coupled programs of Pegasus, section 6. Both halves are chains of integer steps with
// a known result.
#include "workloads/chain.h"
#include "workloads/common.h"

using namespace workload;

__host__ __device__ unsigned chain(unsigned value, std::uint64_t rounds, unsigned factor, unsigned addend) {
  for (std::uint64_t round = 0; round < rounds; ++round)
    value = value * factor + addend;
  return value;
}

__global__ void burn(unsigned* values, unsigned rounds, unsigned factor, unsigned addend) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = chain(values[i], rounds, factor, addend);
}

struct Plan {
  double seconds = 0.5;
  std::uint64_t launches = 4, rounds = 500, threads = 64, cpu_rounds = 200000, in_turn = 0;
};

static double percentile(std::vector<double> const& sorted, double part) {
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

int main(int argc, char** argv) {
  Plan plan;
  Arguments("coupled", "Computes on CPU and GPU in steps that need both.")
      .real("--seconds", plan.seconds, 0, 86400, "run for this wall time")
      .number("--launches", plan.launches, 1, 1000, "kernels of a step")
      .number("--rounds", plan.rounds, 1, 1u << 28, "length of a kernel, in steps of a thread")
      .number("--threads", plan.threads, 1, 1024, "threads of a kernel")
      .number("--cpu-rounds", plan.cpu_rounds, 0, 1u << 30, "length of the CPU's part of a step")
      .number("--in-turn", plan.in_turn, 0, 1, "1: the CPU's part before the launches instead of beside them")
      .parse(argc, argv);
  end_when_told();

  auto const threads = static_cast<unsigned>(plan.threads);
  unsigned volatile factor = multiplier; // prevents the compiler from folding the chain
  std::vector<unsigned> expected(threads);
  for (unsigned i = 0; i < threads; ++i)
    expected[i] = i;
  DeviceArray<unsigned> values(expected);
  unsigned on_cpu = 1;
  std::vector<double> waits;
  Stopwatch const watch;
  while (waits.empty() || (!told_to_end && watch.seconds() < plan.seconds)) {
    if (plan.in_turn) on_cpu = chain(on_cpu, plan.cpu_rounds, factor, increment);
    for (std::uint64_t i = 0; i < plan.launches; ++i) {
      burn<<<1, threads>>>(values.get(), static_cast<unsigned>(plan.rounds), multiplier, increment);
      CHECK_CUDA(cudaGetLastError());
    }
    if (!plan.in_turn) on_cpu = chain(on_cpu, plan.cpu_rounds, factor, increment);
    Stopwatch const wait;
    CHECK_CUDA(cudaDeviceSynchronize());
    waits.push_back(wait.seconds() * 1e6);
  }
  double const seconds = watch.seconds();

  std::uint64_t const steps = waits.size();
  for (unsigned& value : expected)
    value = after_steps(value, steps * plan.launches * plan.rounds);
  std::string mismatch = first_mismatch("chain", values.download(), expected);
  if (on_cpu != after_steps(1, steps * plan.cpu_rounds)) mismatch = "the CPU's own chain is wrong";
  std::sort(waits.begin(), waits.end());
  char more[96];
  std::snprintf(more, sizeof more, ",\"p50_us\":%.3f,\"p99_us\":%.3f,\"longest_us\":%.3f",
                percentile(waits, 0.50), percentile(waits, 0.99), waits.back());
  return report({"coupled", steps, "steps", seconds, more}, mismatch);
}
