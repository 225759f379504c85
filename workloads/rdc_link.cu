// SPDX-License-Identifier: Apache-2.0
// Relocatable device code: functions and variables defined in another file, a call back, a function pointer
// in a device variable, and equal file-local names.
#include "workloads/common.h"
#include "workloads/rdc_link.h"

using namespace workload;

static __device__ unsigned local_value = 7;

__device__ unsigned scramble(unsigned x) { return x * 2654435761u ^ local_value; }

__global__ void weigh_all(unsigned* values, unsigned elements) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < elements) values[i] = combine(weigh(i), i);
}

int main(int argc, char** argv) {
  std::uint64_t elements = 50000;
  Arguments("rdc_link", "Calls device functions of another file through the device linker.")
      .number("--elements", elements, 1, 1u << 28, "values to compute")
      .parse(argc, argv);

  unsigned const new_weights[4] = {13, 17, 19, 23}, zero = 0;
  CHECK_CUDA(cudaMemcpyToSymbol(weights, new_weights, sizeof new_weights));
  CHECK_CUDA(cudaMemcpyToSymbol(calls_of_part, &zero, sizeof zero));
  DeviceArray<unsigned> values(elements);
  Stopwatch const watch;
  weigh_all<<<blocks_for(elements, 128), 128>>>(values.get(), static_cast<unsigned>(elements));
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  double const seconds = watch.seconds();

  std::vector<unsigned> expected(elements);
  for (unsigned i = 0; i < elements; ++i)
    expected[i] = ((i * 2654435761u ^ 7u) * new_weights[i % 4] + 100u) + (i << 7 | i >> 25);
  std::string mismatch = first_mismatch("weighed", values.download(), expected);
  unsigned calls = 0;
  CHECK_CUDA(cudaMemcpyFromSymbol(&calls, calls_of_part, sizeof calls));
  if (mismatch.empty() && calls != elements)
    mismatch =
        "the other file counted " + std::to_string(calls) + " calls, expected " + std::to_string(elements);
  return report({"rdc_link", elements, "elements", seconds}, mismatch);
}
