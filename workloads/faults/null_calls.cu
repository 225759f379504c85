// SPDX-License-Identifier: Apache-2.0
// Many cheap calls that each wait for a reply: measures one round trip to the accelerator, alone or with many
// such programs on few cores.
#include "workloads/faults/faults.h"

#include <algorithm>

using namespace workload;

__global__ void add_one(unsigned* value) { *value += 1; }

static std::vector<double> measure(std::uint64_t calls, std::uint64_t launch_every, unsigned* value,
                                   std::uint64_t& launches) {
  std::vector<double> microseconds;
  microseconds.reserve(calls);
  for (std::uint64_t i = 0; i < calls; ++i) {
    if (launch_every && i % launch_every == 0) {
      add_one<<<1, 1>>>(value);
      CHECK_CUDA(cudaGetLastError());
      ++launches;
    }
    Stopwatch const watch;
    CHECK_CUDA(cudaStreamSynchronize(nullptr));
    microseconds.push_back(watch.seconds() * 1e6);
  }
  return microseconds;
}

static double percentile(std::vector<double> const& sorted, double part) {
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

int main(int argc, char** argv) {
  std::uint64_t calls = 20000, launch_every = 100;
  Arguments("null_calls", "Measures the latency of synchronous calls that have nothing to do.")
      .number("--calls", calls, 1, 100000000, "calls of cudaStreamSynchronize")
      .number("--launch-every", launch_every, 0, 1000000, "calls for each one-thread kernel; 0: no kernels")
      .parse(argc, argv);

  DeviceArray<unsigned> value(1);
  value.fill_bytes(0);
  CHECK_CUDA(cudaDeviceSynchronize());
  std::uint64_t launches = 0;
  Stopwatch const watch;
  std::vector<double> latency = measure(calls, launch_every, value.get(), launches);
  double const seconds = watch.seconds();
  std::sort(latency.begin(), latency.end());
  double const p50 = percentile(latency, 0.50), p99 = percentile(latency, 0.99);
  std::printf("null_calls: p50 %.2f us, p99 %.2f us, longest %.2f us\n", p50, p99, latency.back());
  char more[96];
  std::snprintf(more, sizeof more, ",\"p50_us\":%.3f,\"p99_us\":%.3f,\"longest_us\":%.3f", p50, p99,
                latency.back());
  return report(
      {"null_calls", calls, "calls", seconds, more},
      first_mismatch("counter", value.download(), std::vector<unsigned>{static_cast<unsigned>(launches)}));
}
