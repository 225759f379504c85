// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/testing/fixture.h"

#include <cstring>

using namespace pegasus::driver::testing;

TEST_CASE_METHOD(Fixture, "a kernel keeps what was set for its launches") {
  CUfunction const f = kernel("take_int_pointer");
  std::uint64_t pointer = 0x1122334455667788;
  REQUIRE(cuFuncSetBlockShape(f, 32, 2, 1) == CUDA_SUCCESS);
  REQUIRE(cuFuncSetSharedSize(f, 128) == CUDA_SUCCESS);
  REQUIRE(cuParamSeti(f, 0, 7) == CUDA_SUCCESS);
  REQUIRE(cuParamSetv(f, 8, &pointer, sizeof pointer) == CUDA_SUCCESS);
  CHECK(cuLaunch(f) == CUDA_ERROR_INVALID_VALUE); // without its parameters' size
  REQUIRE(cuParamSetSize(f, 16) == CUDA_SUCCESS);
  REQUIRE(cuLaunchGrid(f, 3, 4) == CUDA_SUCCESS);
  REQUIRE(cuParamSetf(f, 0, 1.0F) == CUDA_SUCCESS);
  REQUIRE(cuLaunch(f) == CUDA_SUCCESS);
  REQUIRE(device.launches.size() == 2);

  auto const& [first, second] = std::pair(device.launches[0], device.launches[1]);
  CHECK(first.request.grid[0] == 3);
  CHECK(first.request.grid[1] == 4);
  CHECK(first.request.block[0] == 32);
  CHECK(first.request.block[1] == 2);
  CHECK(first.request.dynamic_shared_bytes == 128);
  std::uint64_t words[2] = {7, pointer};
  CHECK(std::memcmp(first.parameters.data(), words, sizeof words) == 0);
  CHECK(second.request.grid[0] == 1);
  CHECK(second.request.block[1] == 2);
  words[0] = 0x3f800000;
  CHECK(std::memcmp(second.parameters.data(), words, sizeof words) == 0);
}

TEST_CASE_METHOD(Fixture, "what no launch can have is refused when it is set") {
  CUfunction const f = kernel("empty");
  char byte = 0;
  CHECK(cuLaunchGrid(f, 1, 1) == CUDA_ERROR_INVALID_VALUE); // no block
  CHECK(cuFuncSetBlockShape(f, 1, 0, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuFuncSetBlockShape(f, 1, 1, -1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuParamSeti(f, -4, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuParamSeti(f, 32764, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuParamSetv(f, 4, &byte, ~0U) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuParamSetv(f, 0, nullptr, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuParamSetSize(f, 32765) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(cuFuncSetBlockShape(f, 1, 1, 1) == CUDA_SUCCESS);
  CHECK(cuLaunchGrid(f, 0, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuLaunchGridAsync(f, 1, -1, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuLaunchGridAsync(f, 1, 1, nullptr) == CUDA_SUCCESS);
  CHECK(cuFuncSetSharedSize(nullptr, 0) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuLaunch(nullptr) == CUDA_ERROR_INVALID_HANDLE);
}
