// SPDX-License-Identifier: Apache-2.0
#include "frontend/cudart/context.h"

#include "frontend/cudart/testing/fake_cuda.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <thread>

using namespace pegasus::cudart;

TEST_CASE("queries create no context, work creates one for all threads") {
  FakeCuda& fake = fake_cuda();
  int value = 0;
  CHECK(cudaDriverGetVersion(&value) == cudaSuccess);
  CHECK(value == 13000);
  CHECK(cudaRuntimeGetVersion(&value) == cudaSuccess);
  CHECK(value == CUDART_VERSION);
  CHECK(cudaGetDeviceCount(&value) == cudaSuccess);
  CHECK(value == 1);
  CHECK(cudaGetDevice(&value) == cudaSuccess);
  CHECK(value == 0);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(fake.contexts_made == 0);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  std::thread([] { CHECK(cudaDeviceSynchronize() == cudaSuccess); }).join();
  CHECK(fake.contexts_made == 1);
}

TEST_CASE("after a reset every thread takes the context anew") {
  FakeCuda& fake = fake_cuda();
  CHECK(cudaFree(nullptr) == cudaSuccess);
  unsigned const made = fake.contexts_made;
  unsigned const generation = reset_generation();
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(reset_generation() == generation + 1);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  CHECK(fake.contexts_made == made + 1);
}

TEST_CASE("a context that the program made current is used as it is") {
  FakeCuda& fake = fake_cuda();
  std::thread([&] {
    int cell = 0;
    Driver const* ready = nullptr;
    CUcontext context = nullptr;
    REQUIRE(start(ready) == cudaSuccess);
    auto* const own = reinterpret_cast<CUcontext>(&cell);
    REQUIRE(ready->cuCtxSetCurrent(own) == CUDA_SUCCESS);
    unsigned const made = fake.contexts_made;
    CHECK(enter(ready, context) == cudaSuccess);
    CHECK(context == own);
    CHECK(fake.contexts_made == made);
  }).join();
}

TEST_CASE("device numbers and flags are checked") {
  unsigned flags = 0;
  CHECK(cudaSetDevice(-1) == cudaErrorInvalidDevice);
  CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
  CHECK(cudaSetDevice(0) == cudaSuccess);
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield) == cudaErrorInvalidValue);
  CHECK(cudaSetDeviceFlags(0x4000) == cudaErrorInvalidValue);
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleYield | cudaDeviceMapHost) == cudaSuccess);
  CHECK(cudaGetDeviceFlags(&flags) == cudaSuccess);
  CHECK(flags == (cudaDeviceScheduleYield | cudaDeviceMapHost));
}

// The recording driver returns 1000 + n for attribute n.
TEST_CASE("properties are the attributes they are documented to be") {
  cudaDeviceProp properties;
  std::memset(static_cast<void*>(&properties), 0xEE, sizeof properties);
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(std::strcmp(properties.name, "recording device") == 0);
  CHECK(properties.uuid.bytes[15] == 7);
  CHECK(properties.totalGlobalMem == std::size_t{1} << 30);
  CHECK(properties.sharedMemPerBlock == 1000 + cudaDevAttrMaxSharedMemoryPerBlock);
  CHECK(properties.warpSize == 1000 + cudaDevAttrWarpSize);
  CHECK(properties.maxThreadsDim[2] == 1000 + cudaDevAttrMaxBlockDimZ);
  CHECK(properties.maxGridSize[0] == 1000 + cudaDevAttrMaxGridDimX);
  CHECK(properties.major == 1000 + cudaDevAttrComputeCapabilityMajor);
  CHECK(properties.multiProcessorCount == 1000 + cudaDevAttrMultiProcessorCount);
  CHECK(properties.sharedMemPerBlockOptin == 1000 + cudaDevAttrMaxSharedMemoryPerBlockOptin);
  CHECK(properties.memoryPoolsSupported == 1000 + cudaDevAttrMemoryPoolsSupported);
  CHECK(properties.hostNumaMultinodeIpcSupported == 1000 + cudaDevAttrHostNumaMultinodeIpcSupported);
  CHECK(properties.luidDeviceNodeMask == 0);
  for (int const reserved : properties.reserved)
    CHECK(reserved == 0);
  CHECK(cudaGetDeviceProperties(&properties, 3) == cudaErrorInvalidDevice);
  int chosen = -1;
  cudaDeviceProp wanted{};
  wanted.major = 7;
  CHECK(cudaChooseDevice(&chosen, &wanted) == cudaSuccess);
  CHECK(chosen == 0);
}

TEST_CASE("a driver without a function answers not supported") {
  std::size_t value = 0;
  CHECK(cudaDeviceGetLimit(&value, cudaLimitStackSize) == cudaErrorNotSupported);
}
