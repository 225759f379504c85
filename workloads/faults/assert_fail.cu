// SPDX-License-Identifier: Apache-2.0
// One thread's assertion fails: cudaErrorAssert, sticky, and a line on standard error that names the thread.
#undef NDEBUG
#include "workloads/faults/faults.h"

#include <cassert>

using namespace workload;

__global__ void check_value(unsigned const* values, unsigned forbidden) {
  unsigned const value = values[blockIdx.x * blockDim.x + threadIdx.x];
  assert(value != forbidden);
}

int main(int argc, char** argv) {
  std::uint64_t forbidden = 37;
  Arguments("assert_fail", "Lets an assertion fail in a kernel and expects the documented error.")
      .number("--value", forbidden, 0, 63, "the thread, of 2 blocks of 32, whose assertion fails")
      .parse(argc, argv);

  std::vector<unsigned> values(64);
  for (unsigned i = 0; i < values.size(); ++i)
    values[i] = i;
  unsigned* device_values = nullptr; // never freed: a context with an error also refuses that
  CHECK_CUDA(cudaMalloc(&device_values, values.size() * sizeof(unsigned)));
  CHECK_CUDA(
      cudaMemcpy(device_values, values.data(), values.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
  Stopwatch const watch;
  check_value<<<2, 32>>>(device_values, 64); // holds in every thread
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  check_value<<<2, 32>>>(device_values, static_cast<unsigned>(forbidden));
  CHECK_CUDA(cudaGetLastError());
  std::string wrong = expect("cudaDeviceSynchronize", cudaDeviceSynchronize(), {cudaErrorAssert});
  if (wrong.empty()) wrong = expect_sticky(cudaErrorAssert);
  return report({"assert_fail", 1, "faults", watch.seconds()}, wrong);
}
