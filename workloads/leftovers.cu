// SPDX-License-Identifier: Apache-2.0
// Leaves a pattern in device memory and frees the memory, or looks for it in newly allocated memory: the data
// of one program must not be readable by the next. By default it does both.
#include "workloads/common.h"

using namespace workload;

constexpr unsigned pattern = 0x9e3779b9u;

__global__ void leave(unsigned* words, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    words[i] = pattern;
}

__global__ void look(unsigned const* words, unsigned count, unsigned long long* found) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    if (words[i] == pattern) atomicAdd(found, 1ull);
}

int main(int argc, char** argv) {
  std::uint64_t mib = 16, leaves = 1, looks = 1;
  Arguments("leftovers", "Leaves a pattern in device memory, or looks for one that another program left.")
      .number("--mib", mib, 1, 4095, "how much memory")
      .number("--leave", leaves, 0, 1, "1: write the pattern")
      .number("--look", looks, 0, 1, "1: look for it in fresh memory")
      .parse(argc, argv);
  auto const count = static_cast<unsigned>((mib << 20) / sizeof(unsigned));
  constexpr unsigned blocks = 64, threads = 128;

  Stopwatch const watch;
  if (leaves) {
    DeviceArray<unsigned> words(count);
    leave<<<blocks, threads>>>(words.get(), count);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
  }
  std::string mismatch;
  if (looks) {
    DeviceArray<unsigned> words(count);
    DeviceArray<unsigned long long> found(std::vector<unsigned long long>{0});
    look<<<blocks, threads>>>(words.get(), count, found.get());
    CHECK_CUDA(cudaGetLastError());
    if (auto const words_found = found.download()[0])
      mismatch = std::to_string(words_found) + " words of another allocation can be read";
  }
  return report({"leftovers", count, "words", watch.seconds()}, mismatch);
}
