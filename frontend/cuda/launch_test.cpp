// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/launch_check.h"

#include "frontend/cuda/testing/fixture.h"

#include <array>
#include <chrono>
#include <cstring>
#include <thread>

using namespace pegasus::driver::testing;

namespace {

CUresult launch(CUfunction f, unsigned grid, unsigned block, void** parameters, unsigned shared = 0,
                CUstream stream = nullptr) {
  return cuLaunchKernel(f, grid, 1, 1, block, 1, 1, shared, stream, parameters, nullptr);
}

} // namespace

TEST_CASE_METHOD(Fixture, "parameters are packed as the kernel declares them") {
  CUfunction const f = kernel("take_int_pointer");
  int number = 0x01020304;
  std::uint64_t pointer = 0x1122334455667788;
  void* parameters[] = {&number, &pointer};
  REQUIRE(launch(f, 3, 64, parameters) == CUDA_SUCCESS);
  REQUIRE(device.launches.size() == 1);
  RecordedLaunch const first = device.launches[0];
  CHECK(first.request.grid[0] == 3);
  CHECK(first.request.block[0] == 64);
  CHECK(first.request.parameter_bytes == 16);
  REQUIRE(first.parameters.size() == 16);
  CHECK(std::memcmp(first.parameters.data(), &number, 4) == 0);
  CHECK(std::memcmp(first.parameters.data() + 4, "\0\0\0\0", 4) == 0); // padding is zeroed
  CHECK(std::memcmp(first.parameters.data() + 8, &pointer, 8) == 0);

  std::size_t bytes = 16;
  std::array<char, 16> buffer{};
  std::memcpy(buffer.data(), &number, 4);
  std::memcpy(buffer.data() + 8, &pointer, 8);
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  REQUIRE(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra) == CUDA_SUCCESS);
  CHECK(device.launches[1].parameters == first.parameters);
  bytes = 15;
  CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, extra) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(f, 1, 1, nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Fixture, "many parameters do not fit the stack and still arrive") {
  CUfunction const f = kernel("big");
  std::vector<std::uint64_t> values(512);
  std::vector<void*> parameters;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = i * i;
    parameters.push_back(&values[i]);
  }
  REQUIRE(launch(f, 1, 1, parameters.data()) == CUDA_SUCCESS);
  REQUIRE(device.launches[0].parameters.size() == 4096);
  CHECK(std::memcmp(device.launches[0].parameters.data(), values.data(), 4096) == 0);
}

TEST_CASE_METHOD(Fixture, "launches beyond a limit are refused at once") {
  CUfunction const f = kernel("empty");
  CHECK(launch(f, 0, 1, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(f, 1, 0, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(f, 1, 1025, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuLaunchKernel(f, 1, 65536, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuLaunchKernel(f, 1, 1, 1, 32, 32, 2, 0, nullptr, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 65, 0, nullptr, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(f, 1, 1, nullptr, 48 * 1024 + 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 64 * 1024) == CUDA_SUCCESS);
  CHECK(launch(f, 1, 1, nullptr, 48 * 1024 + 1) == CUDA_SUCCESS);
  CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 64 * 1024 + 1) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(kernel("bounded"), 1, 65, nullptr) == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  CHECK(cuLaunchCooperativeKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(device.launches.size() == 1);
}

TEST_CASE_METHOD(Fixture, "wrong handles are refused") {
  CUfunction const f = kernel("empty");
  CUstream stream = nullptr;
  REQUIRE(cuStreamCreate(&stream, 0) == CUDA_SUCCESS);
  CHECK(launch(nullptr, 1, 1, nullptr) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(launch(reinterpret_cast<CUfunction>(stream), 1, 1, nullptr) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(launch(f, 1, 1, nullptr, 0, reinterpret_cast<CUstream>(f)) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(launch(reinterpret_cast<CUfunction>(std::uintptr_t{0x1234567}), 1, 1, nullptr) ==
        CUDA_ERROR_INVALID_HANDLE);
  CHECK(launch(f, 1, 1, nullptr, 0, stream) == CUDA_SUCCESS);
  CHECK(cuStreamDestroy_v2(stream) == CUDA_SUCCESS);
  CHECK(launch(f, 1, 1, nullptr, 0, stream) == CUDA_ERROR_INVALID_HANDLE);
  CUcontext other = nullptr;
  REQUIRE(cuCtxCreate_v2(&other, 0, 0) == CUDA_SUCCESS);
  CHECK(launch(f, 1, 1, nullptr) == CUDA_ERROR_INVALID_HANDLE); // the function belongs to the other context
  REQUIRE(cuCtxDestroy_v2(other) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(Fixture, "the stream handles 0, 1 and 2") {
  CUfunction const f = kernel("empty");
  REQUIRE(launch(f, 1, 1, nullptr, 0, CU_STREAM_LEGACY) == CUDA_SUCCESS);
  CHECK(device.launches.back().request.stream == 0);
  REQUIRE(launch(f, 1, 1, nullptr, 0, CU_STREAM_PER_THREAD) == CUDA_SUCCESS);
  std::uint64_t const mine = device.launches.back().request.stream;
  CHECK(mine != 0);
  REQUIRE(cuLaunchKernel_ptsz(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_SUCCESS);
  CHECK(device.launches.back().request.stream == mine);
  unsigned const before = device.streams;
  std::thread([&] {
    (void)cuCtxSetCurrent(context);
    (void)launch(f, 1, 1, nullptr, 0, CU_STREAM_PER_THREAD);
  }).join();
  CHECK(device.launches.back().request.stream != mine);
  CHECK(device.streams == before); // the other thread's stream was destroyed with the thread
}

TEST_CASE_METHOD(Fixture, "launch attributes") {
  CUfunction const f = kernel("empty");
  CUlaunchAttribute attributes[2] = {};
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.attrs = attributes;
  config.numAttrs = 2;
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[1].value.clusterDim = {1, 1, 1};
  CHECK(cuLaunchKernelEx(&config, f, nullptr, nullptr) == CUDA_SUCCESS);
  attributes[1].value.clusterDim.x = 2;
  CHECK(cuLaunchKernelEx(&config, f, nullptr, nullptr) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[1].value.cooperative = 1;
  CHECK(cuLaunchKernelEx(&config, f, nullptr, nullptr) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(cuLaunchKernelEx(nullptr, f, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Fixture, "a launch costs little besides the channel") {
  CUfunction const f = kernel("take_int_pointer");
  int number = 1;
  std::uint64_t pointer = 2;
  void* parameters[] = {&number, &pointer};
  constexpr int rounds = 20000;
  device.launches.reserve(rounds);
  auto const start = std::chrono::steady_clock::now();
  for (int i = 0; i < rounds; ++i)
    (void)launch(f, 1, 32, parameters);
  auto const each = (std::chrono::steady_clock::now() - start) / rounds;
  CHECK(device.launches.size() == rounds);
  // The target is 100 ns with optimisation; the limit allows for the fake's allocation, sanitizers
  // and busy machines.
  CHECK(each < std::chrono::microseconds(20));
}
