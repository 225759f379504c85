// SPDX-License-Identifier: Apache-2.0
// The smallest complete program: allocate, copy in, launch, copy out. Also built in variants that the
// launcher and the loader must distinguish (RPATH, static runtime, no PTX).
#include "workloads/common.h"

using namespace workload;

__global__ void vector_add(float const* __restrict__ a, float const* __restrict__ b, float* __restrict__ sum,
                           unsigned elements) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += gridDim.x * blockDim.x)
    sum[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  std::uint64_t elements = 1 << 20, repeats = 1;
  Arguments("vector_add", "Adds two vectors of floats.")
      .number("--elements", elements, 1, 1u << 28, "length of the vectors")
      .number("--repeats", repeats, 1, 1000000, "launches of the kernel")
      .parse(argc, argv);

  Random random;
  std::vector<float> a(elements), b(elements), expected(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    a[i] = random.between(-1, 1);
    b[i] = random.between(-1, 1);
    expected[i] = a[i] + b[i]; // IEEE addition: the device's result is identical bit for bit
  }

  DeviceArray<float> device_a(a), device_b(b), device_sum(elements);
  unsigned const blocks = std::min(blocks_for(elements, 256), 65536u);
  Stopwatch const watch;
  for (std::uint64_t i = 0; i < repeats; ++i) {
    vector_add<<<blocks, 256>>>(device_a.get(), device_b.get(), device_sum.get(),
                                static_cast<unsigned>(elements));
    CHECK_CUDA(cudaGetLastError());
  }
  CHECK_CUDA(cudaDeviceSynchronize());
  double const seconds = watch.seconds();
  return report({"vector_add", elements * repeats, "elements", seconds},
                first_mismatch("sum", device_sum.download(), expected));
}
