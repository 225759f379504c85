// SPDX-License-Identifier: Apache-2.0
// Uses the device, resets it and uses it again: each reset ends the context, and the next call makes
// another one.
#include "workloads/common.h"

using namespace workload;

__global__ void add_one(unsigned* words, unsigned count) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) ++words[i];
}

int main(int argc, char** argv) {
  std::uint64_t rounds = 3, elements = 1 << 16;
  Arguments("device_reset", "Uses the device in one context after the other.")
      .number("--rounds", rounds, 1, 1000, "contexts")
      .number("--elements", elements, 1, 1u << 28, "length of the array")
      .parse(argc, argv);
  auto const count = static_cast<unsigned>(elements);
  std::vector<unsigned> const before(count, 7), expected(count, 8);

  Stopwatch const watch;
  std::string mismatch;
  for (std::uint64_t round = 0; round < rounds && mismatch.empty(); ++round) {
    {
      DeviceArray<unsigned> words(before);
      add_one<<<blocks_for(count, 256), 256>>>(words.get(), count);
      CHECK_CUDA(cudaGetLastError());
      mismatch = first_mismatch("words", words.download(), expected);
    }
    CHECK_CUDA(cudaDeviceReset());
  }
  return report({"device_reset", rounds, "contexts", watch.seconds()}, mismatch);
}
