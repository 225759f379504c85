// SPDX-License-Identifier: Apache-2.0
// Allocates device memory until it is exhausted, frees it, and allocates it again: out-of-memory must be an
// error, must not be sticky, and must leave all memory usable. Tests a domain's memory limit.
#include "workloads/faults/faults.h"

#include <algorithm>

using namespace workload;

constexpr std::uint64_t mebibyte = 1 << 20;

__global__ void write_and_count(unsigned* memory, unsigned words, unsigned* written) {
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) {
    memory[i] = i;
    atomicAdd(written, memory[i] == i ? 1u : 0u);
  }
}

class Hog {
public:
  // Allocates chunks of `bytes` until an error; returns that error.
  cudaError_t take_all(std::uint64_t bytes) {
    for (;;) {
      void* memory = nullptr;
      cudaError_t const status = cudaMalloc(&memory, bytes);
      if (status != cudaSuccess) return status;
      chunks_.push_back(memory);
      taken_ += bytes;
    }
  }

  void give_all_back() {
    for (void* chunk : chunks_)
      CHECK_CUDA(cudaFree(chunk));
    chunks_.clear();
    taken_ = 0;
  }

  std::uint64_t taken() const { return taken_; }

private:
  std::vector<void*> chunks_;
  std::uint64_t taken_ = 0;
};

// Large chunks first, then halves down to a mebibyte: less than a mebibyte remains.
static std::string fill(Hog& hog, std::uint64_t chunk) {
  for (; chunk >= mebibyte; chunk /= 2) {
    cudaError_t const status = hog.take_all(chunk);
    if (status != cudaErrorMemoryAllocation || cudaGetLastError() != cudaErrorMemoryAllocation)
      return std::string("cudaMalloc gave ") + cudaGetErrorName(status) +
             ", expected cudaErrorMemoryAllocation";
    if (cudaGetLastError() != cudaSuccess) return "out of memory stays: cudaGetLastError did not clear it";
  }
  return {};
}

static std::string use_again(std::uint64_t bytes) {
  unsigned const words = 4096;
  DeviceArray<unsigned> large(bytes / sizeof(unsigned)), written(1);
  written.fill_bytes(0);
  write_and_count<<<1, 128>>>(large.get(), words, written.get());
  CHECK_CUDA(cudaGetLastError());
  return first_mismatch("words written", written.download(), std::vector<unsigned>{words});
}

int main(int argc, char** argv) {
  std::uint64_t chunk_mib = 0, at_most_mib = 0, at_least_mib = 1;
  Arguments("memory_hog", "Allocates until out of memory, then frees and allocates again.")
      .number("--chunk-mib", chunk_mib, 0, 1 << 20, "first size of an allocation; 0: a 64th of the memory")
      .number("--at-most-mib", at_most_mib, 0, 1 << 24, "fail if more was granted; 0: as much as there is")
      .number("--at-least-mib", at_least_mib, 1, 1 << 24, "fail if less was granted")
      .parse(argc, argv);

  std::size_t free_bytes = 0, total_bytes = 0;
  CHECK_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
  std::printf("memory_hog: %zu MiB free of %zu MiB\n", free_bytes / mebibyte, total_bytes / mebibyte);
  std::uint64_t const chunk =
      chunk_mib ? chunk_mib * mebibyte : std::max<std::uint64_t>(total_bytes / 64, mebibyte);
  Hog hog;
  Stopwatch const watch;
  std::string wrong = fill(hog, chunk);
  std::uint64_t const first = hog.taken();
  std::printf("memory_hog: got %llu MiB before cudaErrorMemoryAllocation\n",
              static_cast<unsigned long long>(first / mebibyte));
  if (wrong.empty() && at_most_mib && first > at_most_mib * mebibyte)
    wrong = "more memory was granted than is allowed";
  if (wrong.empty() && first < at_least_mib * mebibyte) wrong = "less memory was granted than is promised";
  hog.give_all_back();
  if (wrong.empty()) wrong = use_again(std::max(first / 2, mebibyte));
  return report({"memory_hog", first, "bytes", watch.seconds()}, wrong);
}
