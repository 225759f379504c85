// SPDX-License-Identifier: Apache-2.0
// A kernel writes far outside its memory: cudaErrorIllegalAddress, for this program only and for all
// its later calls.
#include "workloads/faults/faults.h"

using namespace workload;

__global__ void write_at(char* data, unsigned long long offset) {
  if (threadIdx.x == 3) data[offset] = 1;
}

int main(int argc, char** argv) {
  std::uint64_t offset = std::uint64_t{1} << 40;
  Arguments("illegal_address", "Writes out of bounds in a kernel and expects the documented error.")
      .number("--offset-bytes", offset, 256, std::uint64_t{1} << 45,
              "distance from an allocation of 256 bytes")
      .parse(argc, argv);

  char* data = nullptr;
  CHECK_CUDA(cudaMalloc(&data, 256));
  Stopwatch const watch;
  write_at<<<1, 32>>>(data, 0); // within its memory the same kernel is correct
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  write_at<<<1, 32>>>(data, offset);
  CHECK_CUDA(cudaGetLastError()); // a launch does not wait, so it does not know
  std::string wrong = expect("cudaDeviceSynchronize", cudaDeviceSynchronize(), {cudaErrorIllegalAddress});
  if (wrong.empty()) wrong = expect_sticky(cudaErrorIllegalAddress);
  return report({"illegal_address", 1, "faults", watch.seconds()}, wrong);
}
