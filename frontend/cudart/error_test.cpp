// SPDX-License-Identifier: Apache-2.0
#include "frontend/cudart/error.h"

#include "frontend/cudart/testing/fake_cuda.h"

#include <catch2/catch.hpp>

#include <dlfcn.h>
#include <string>
#include <thread>

using namespace pegasus::cudart;

TEST_CASE("names and texts are the toolkit's") {
  void* const toolkit = dlopen(TOOLKIT_CUDART, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(toolkit != nullptr);
  using Text = char const* (*)(cudaError_t);
  auto const name = reinterpret_cast<Text>(dlsym(toolkit, "cudaGetErrorName"));
  auto const text = reinterpret_cast<Text>(dlsym(toolkit, "cudaGetErrorString"));
  REQUIRE(name != nullptr);
  REQUIRE(text != nullptr);
  int known = 0;
  for (int code = 0; code <= 10001; ++code) {
    auto const error = static_cast<cudaError_t>(code);
    INFO(code);
    REQUIRE(std::string(cudaGetErrorName(error)) == name(error));
    REQUIRE(std::string(cudaGetErrorString(error)) == text(error));
    if (error_name(code) != nullptr) ++known;
  }
  CHECK(known > 120);
}

TEST_CASE("driver results keep their numbers; what the runtime has no name for is unknown") {
  CHECK(from_driver(CUDA_SUCCESS) == cudaSuccess);
  CHECK(from_driver(CUDA_ERROR_OUT_OF_MEMORY) == cudaErrorMemoryAllocation);
  CHECK(from_driver(CUDA_ERROR_INVALID_HANDLE) == cudaErrorInvalidResourceHandle);
  CHECK(from_driver(CUDA_ERROR_ILLEGAL_ADDRESS) == cudaErrorIllegalAddress);
  CHECK(from_driver(CUDA_ERROR_CONTEXT_ALREADY_CURRENT) == cudaErrorUnknown);
  CHECK(from_driver(static_cast<CUresult>(1000)) == cudaErrorUnknown);
}

TEST_CASE("the last error is taken once") {
  forget_errors();
  CHECK(cudaMalloc(nullptr, 1) == cudaErrorInvalidValue);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("a later success does not hide an error, a later error replaces it") {
  forget_errors();
  int count = 0;
  CHECK(cudaMalloc(nullptr, 1) == cudaErrorInvalidValue);
  CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
  CHECK(cudaSetDevice(17) == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
}

TEST_CASE("each thread has its own last error") {
  forget_errors();
  CHECK(cudaMalloc(nullptr, 1) == cudaErrorInvalidValue);
  std::thread([] { CHECK(cudaGetLastError() == cudaSuccess); }).join();
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("an error that corrupts the context stays until the device is reset") {
  forget_errors();
  FakeCuda& fake = fake_cuda();
  fake.sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  void* memory = nullptr;
  CHECK(cudaMemset(&memory, 0, 1) == cudaErrorIllegalAddress);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

TEST_CASE("an error of a later call does not hide one that corrupts the context") {
  forget_errors();
  FakeCuda& fake = fake_cuda();
  fake.sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(cudaMalloc(nullptr, 1) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("an error that corrupted the context ends with it in every thread") {
  forget_errors();
  FakeCuda& fake = fake_cuda();
  fake.sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  std::thread([] { CHECK(cudaDeviceReset() == cudaSuccess); }).join();
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST_CASE("a reset without a context leaves no error either") {
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaMalloc(nullptr, 1) == cudaErrorInvalidValue);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
}
