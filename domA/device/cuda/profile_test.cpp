// SPDX-License-Identifier: Apache-2.0
// What a worker asks about GPUs before it serves, with a driver whose answers are wrong.
#include "domA/device/cuda/profile.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace pegasus::cuda;

namespace {

unsigned gpus_asked_for = 0;

Driver driver_of_gpus() {
  Driver driver;
  driver.cuDeviceGetCount = [](int* count) {
    *count = 1 << 20;
    return CUDA_SUCCESS;
  };
  driver.cuDeviceGet = [](CUdevice* gpu, int ordinal) {
    *gpu = ordinal;
    ++gpus_asked_for;
    return CUDA_SUCCESS;
  };
  driver.cuDeviceGetName = [](char* name, int bytes, CUdevice) {
    std::memset(name, 'n', static_cast<std::size_t>(bytes)); // no end
    return CUDA_SUCCESS;
  };
  driver.cuDeviceGetUuid = [](CUuuid*, CUdevice) { return CUDA_SUCCESS; };
  driver.cuDeviceTotalMem = [](std::size_t*, CUdevice) { return CUDA_SUCCESS; };
  driver.cuDriverGetVersion = [](int*) { return CUDA_SUCCESS; };
  driver.cuDeviceGetAttribute = [](int*, CUdevice_attribute, CUdevice) { return CUDA_SUCCESS; };
  return driver;
}

} // namespace

TEST_CASE("a name without an end has one") {
  auto const profile = profile_of(driver_of_gpus(), 0);
  REQUIRE(profile);
  CHECK(profile->name == std::string(255, 'n'));
}

TEST_CASE("a GPU is not looked for among more than a host can have") {
  std::array<std::uint8_t, 16> uuid{};
  uuid.fill(1);
  gpus_asked_for = 0;
  CHECK_FALSE(ordinal_of(driver_of_gpus(), uuid));
  CHECK(gpus_asked_for <= 1024);
}
