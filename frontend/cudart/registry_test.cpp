// SPDX-License-Identifier: Apache-2.0
#include "frontend/cudart/registry.h"

#include "frontend/cudart/testing/fake_cuda.h"
#include "frontend/cudart/testing/registered.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <string>
#include <thread>

using namespace pegasus::cudart;

extern "C" {
unsigned __cudaPushCallConfiguration(dim3, dim3, std::size_t, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*);
cudaError_t __cudaGetKernel(cudaKernel_t*, void const*);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t);
}

namespace {

char stubs[8]; // their addresses represent host functions

cudaError_t launch(char const* host, unsigned grid = 1) {
  return cudaLaunchKernel(host, grid, 32, nullptr, 0, nullptr);
}

} // namespace

TEST_CASE("registration touches no device; the image is loaded once, by its first kernel") {
  FakeCuda& fake = fake_cuda();
  unsigned const loaded = fake.modules_loaded;
  Program program;
  program.kernel(&stubs[0], "first");
  program.kernel(&stubs[1], "second");
  program.end();
  CHECK(fake.modules_loaded == loaded);
  CHECK(launch(&stubs[1]) == cudaSuccess);
  CHECK(std::string(fake.kernel) == "second");
  CHECK(launch(&stubs[0], 3) == cudaSuccess);
  CHECK(std::string(fake.kernel) == "first");
  CHECK(fake.grid_x == 3);
  CHECK(fake.modules_loaded == loaded + 1);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(launch(&stubs[0]) == cudaSuccess);
  CHECK(fake.modules_loaded == loaded + 2);
}

TEST_CASE("stubs of nvcc 13: push, get the kernel, pop, launch") {
  FakeCuda& fake = fake_cuda();
  Program program;
  program.kernel(&stubs[0], "kernel");
  program.end();
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  cudaKernel_t kernel = nullptr;
  REQUIRE(__cudaPushCallConfiguration(5, 64, 128, cudaStreamLegacy) == 0);
  REQUIRE(__cudaGetKernel(&kernel, &stubs[0]) == cudaSuccess);
  REQUIRE(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream) == cudaSuccess);
  CHECK(grid.x == 5);
  CHECK(block.x == 64);
  CHECK(shared_bytes == 128);
  CHECK(__cudaLaunchKernel(kernel, grid, block, nullptr, shared_bytes, stream) == cudaSuccess);
  CHECK(fake.stream == cudaStreamLegacy);
  CHECK(__cudaLaunchKernel_ptsz(kernel, grid, block, nullptr, 0, nullptr) == cudaSuccess);
  CHECK(fake.stream == cudaStreamPerThread);
  CHECK(cudaLaunchKernel(reinterpret_cast<void*>(kernel), 1, 1, nullptr, 0, nullptr) == cudaSuccess);
}

TEST_CASE("configurations nest, and are bounded") {
  dim3 grid, block;
  std::size_t bytes = 0;
  cudaStream_t stream = nullptr;
  unsigned pushed = 0;
  while (__cudaPushCallConfiguration(pushed + 1, 1, 0, nullptr) == 0)
    ++pushed;
  CHECK(pushed >= 8);
  for (unsigned expected = pushed; expected > 0; --expected) {
    REQUIRE(__cudaPopCallConfiguration(&grid, &block, &bytes, &stream) == cudaSuccess);
    CHECK(grid.x == expected);
  }
  CHECK(__cudaPopCallConfiguration(&grid, &block, &bytes, &stream) == cudaErrorMissingConfiguration);
}

TEST_CASE("unknown functions and names") {
  Program program;
  program.kernel(&stubs[0], "missing_kernel");
  program.variable(&stubs[1], "missing_variable");
  program.end();
  void* address = nullptr;
  cudaKernel_t kernel = nullptr;
  CHECK(launch(&stubs[0]) == cudaErrorInvalidDeviceFunction);
  CHECK(launch(&stubs[1]) == cudaErrorInvalidDeviceFunction); // a variable
  CHECK(launch(&stubs[5]) == cudaErrorInvalidDeviceFunction); // not registered
  CHECK(launch(nullptr) == cudaErrorInvalidDeviceFunction);
  CHECK(__cudaLaunchKernel(nullptr, 1, 1, nullptr, 0, nullptr) == cudaErrorInvalidDeviceFunction);
  CHECK(__cudaGetKernel(&kernel, &stubs[5]) == cudaErrorInvalidDeviceFunction);
  CHECK(cudaGetSymbolAddress(&address, &stubs[1]) == cudaErrorInvalidSymbol);
  CHECK(cudaGetSymbolAddress(&address, &stubs[0]) == cudaErrorInvalidSymbol);
  CHECK(cudaGetSymbolAddress(&address, nullptr) == cudaErrorInvalidSymbol);
}

TEST_CASE("an image that cannot be loaded is not tried again; a full device is") {
  FakeCuda& fake = fake_cuda();
  Program program;
  program.kernel(&stubs[0], "kernel");
  program.end();
  unsigned const loaded = fake.modules_loaded;
  fake.next_load = CUDA_ERROR_OUT_OF_MEMORY;
  CHECK(launch(&stubs[0]) == cudaErrorMemoryAllocation);
  fake.next_load = CUDA_ERROR_NO_BINARY_FOR_GPU;
  CHECK(launch(&stubs[0]) == cudaErrorNoKernelImageForDevice);
  CHECK(launch(&stubs[0]) == cudaErrorNoKernelImageForDevice);
  CHECK(fake.modules_loaded == loaded + 2);
}

TEST_CASE("a bad shape is told from other bad arguments") {
  FakeCuda& fake = fake_cuda();
  Program program;
  program.kernel(&stubs[0], "kernel");
  program.end();
  fake.next_launch = CUDA_ERROR_INVALID_VALUE;
  CHECK(launch(&stubs[0], 0) == cudaErrorInvalidConfiguration);
  fake.next_launch = CUDA_ERROR_INVALID_VALUE;
  CHECK(cudaLaunchKernel(&stubs[0], 1, dim3(1000, 1000), nullptr, 0, nullptr) ==
        cudaErrorInvalidConfiguration);
  fake.next_launch = CUDA_ERROR_INVALID_VALUE;
  CHECK(launch(&stubs[0], 1) == cudaErrorInvalidValue);
  CHECK(cudaLaunchKernel(&stubs[0], 1, 1, nullptr, std::size_t{1} << 40, nullptr) == cudaErrorInvalidValue);
  fake.next_launch = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  CHECK(launch(&stubs[0]) == cudaErrorLaunchOutOfResources);
  forget_errors();
}

TEST_CASE("an unloaded library's kernels are gone, and its module with them") {
  FakeCuda& fake = fake_cuda();
  unsigned const unloaded = fake.modules_unloaded;
  {
    Program program;
    program.kernel(&stubs[0], "kernel");
    program.end();
    CHECK(launch(&stubs[0]) == cudaSuccess);
  }
  CHECK(fake.modules_unloaded == unloaded + 1);
  CHECK(launch(&stubs[0]) == cudaErrorInvalidDeviceFunction);
}

TEST_CASE("a kernel that several files register stays until the last is gone") {
  Program keeps;
  keeps.kernel(&stubs[0], "of_the_second");
  {
    Program goes;
    goes.kernel(&stubs[0], "again");
    CHECK(launch(&stubs[0]) == cudaSuccess);
  }
  CHECK(launch(&stubs[0]) == cudaSuccess);
  CHECK(std::string(fake_cuda().kernel) == "of_the_second");
}

TEST_CASE("launches go on while other libraries come and go") {
  Program stays;
  stays.kernel(&stubs[0], "stays");
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  auto const launcher = [&] {
    while (!done.load())
      if (launch(&stubs[0]) != cudaSuccess) ++wrong;
  };
  std::thread one(launcher);
  std::thread two(launcher);
  static char many[700]; // enough to grow the table
  for (int round = 0; round < 20; ++round) {
    Program comes;
    for (char& host : many)
      comes.kernel(&host, "comes");
  }
  done.store(true);
  one.join();
  two.join();
  CHECK(wrong.load() == 0);
  CHECK(launch(&many[5]) == cudaErrorInvalidDeviceFunction);
}

TEST_CASE("symbols: address, size, copies within bounds") {
  Program program;
  program.variable(&stubs[2], "variable");
  program.end();
  std::size_t bytes = 0;
  int value = 42;
  int back = 0;
  CHECK(cudaGetSymbolSize(&bytes, &stubs[2]) == cudaSuccess);
  CHECK(bytes == 64);
  CHECK(cudaMemcpyToSymbol(&stubs[2], &value, sizeof value, 60, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpyFromSymbol(&back, &stubs[2], sizeof back, 60, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(back == 42);
  CHECK(cudaMemcpyToSymbol(&stubs[2], &value, sizeof value, 61, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemcpyToSymbol(&stubs[2], &value, 1, ~std::size_t{0}, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemcpyToSymbol(&stubs[2], &value, 4, 0, cudaMemcpyDeviceToHost) ==
        cudaErrorInvalidMemcpyDirection);
  CHECK(cudaMemcpyFromSymbol(&back, &stubs[2], 4, 0, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidMemcpyDirection);
  CHECK(cudaMemcpyToSymbol("variable", &value, 4, 0, cudaMemcpyHostToDevice) == cudaErrorInvalidSymbol);
}

TEST_CASE("a managed variable is where its module has it, from the first use on") {
  FakeCuda& fake = fake_cuda();
  unsigned const loaded = fake.modules_loaded;
  void* host = nullptr;
  Program program;
  program.kernel(&stubs[0], "kernel");
  program.managed(&host, "managed");
  program.end();
  void* const before = host;
  REQUIRE(before != nullptr);
  program.init();
  CHECK(fake.modules_loaded == loaded + 1);
  CHECK(host != before);
  void* symbol = nullptr;
  CHECK(cudaGetSymbolAddress(&symbol, host) == cudaSuccess);
  CHECK(symbol == host);
  std::uint32_t const value = 43;
  CHECK(cudaMemcpyToSymbol(host, &value, sizeof value, 0, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(*static_cast<std::uint32_t const*>(host) == 43); // of the fake driver: shared
  CHECK(launch(&stubs[0]) == cudaSuccess);
  program.init();
  CHECK(fake.modules_loaded == loaded + 1);
}

TEST_CASE(
    "an image with managed variables is refused where there is no such memory; the host side has some") {
  FakeCuda& fake = fake_cuda();
  fake.no_managed_memory = true;
  unsigned const loaded = fake.modules_loaded;
  void* host = nullptr;
  {
    Program program;
    program.kernel(&stubs[0], "kernel");
    program.managed(&host, "managed");
    program.end();
    REQUIRE(host != nullptr);
    CHECK(*static_cast<int*>(host) == 0);
    program.init();
    CHECK(*static_cast<int*>(host) == 0);
    CHECK(launch(&stubs[0]) == cudaErrorNotSupported);
  }
  fake.no_managed_memory = false;
  CHECK(fake.modules_loaded == loaded);
  std::free(host);
}
