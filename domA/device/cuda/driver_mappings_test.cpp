// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/driver_mappings.h"

#include "domA/device/cuda/testing/virtual_transfers.h"

#include <catch2/catch.hpp>
#include <string>

using namespace pegasus::cuda;
using namespace pegasus::cuda::testing;
using pegasus::device::mapping_granule;
using pegasus::device::Status;

namespace {

std::string asked; // of the driver, in order
std::size_t granularity = mapping_granule;
int supported = 1;

void add_mappings(Driver& driver) {
  driver.cuDeviceGet = [](CUdevice* gpu, int ordinal) {
    *gpu = ordinal;
    return CUDA_SUCCESS;
  };
  driver.cuDeviceGetAttribute = [](int* value, CUdevice_attribute, CUdevice) {
    *value = supported;
    return CUDA_SUCCESS;
  };
  driver.cuMemGetAllocationGranularity = [](std::size_t* value, CUmemAllocationProp const*,
                                            CUmemAllocationGranularity_flags) {
    *value = granularity;
    return CUDA_SUCCESS;
  };
  driver.cuMemAddressReserve = [](CUdeviceptr* address, std::size_t, std::size_t, CUdeviceptr hint,
                                  unsigned long long) {
    *address = hint;
    return CUDA_SUCCESS;
  };
  driver.cuMemAddressFree = [](CUdeviceptr, std::size_t) { return CUDA_SUCCESS; };
  driver.cuMemCreate = [](CUmemGenericAllocationHandle* handle, std::size_t, CUmemAllocationProp const* of,
                          unsigned long long) {
    *handle = 7;
    asked += "create on " + std::to_string(of->location.id) + " ";
    return CUDA_SUCCESS;
  };
  driver.cuMemRelease = [](CUmemGenericAllocationHandle handle) {
    asked += "release " + std::to_string(handle) + " ";
    return CUDA_SUCCESS;
  };
  driver.cuMemMap = [](CUdeviceptr, std::size_t, std::size_t offset, CUmemGenericAllocationHandle handle,
                       unsigned long long) {
    asked += "map " + std::to_string(handle) + " from " + std::to_string(offset) + " ";
    return CUDA_SUCCESS;
  };
  driver.cuMemUnmap = [](CUdeviceptr, std::size_t) {
    asked += "unmap ";
    return CUDA_SUCCESS;
  };
  driver.cuMemSetAccess = [](CUdeviceptr, std::size_t, CUmemAccessDesc const* access, std::size_t count) {
    asked += "access " + std::to_string(access->flags) + " of " + std::to_string(access->location.id) + " ";
    return count == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
  driver.cuCtxSynchronize = [] {
    asked += "wait ";
    return CUDA_SUCCESS;
  };
}

struct Gpu : VirtualTransfers {
  Gpu() {
    asked.clear();
    granularity = mapping_granule;
    supported = 1;
    add_mappings(driver);
  }
};

} // namespace

TEST_CASE("a driver maps memory if it has all that is needed") {
  Gpu gpu;
  CHECK(maps_memory(gpu.driver, 0));
  SECTION("a coarser granule") {
    granularity = 2 * mapping_granule;
    CHECK_FALSE(maps_memory(gpu.driver, 0));
  }
  SECTION("a finer granule") {
    granularity = 64 << 10;
    CHECK(maps_memory(gpu.driver, 0));
  }
  SECTION("no granule") {
    granularity = 0;
    CHECK_FALSE(maps_memory(gpu.driver, 0));
  }
  SECTION("the GPU cannot") {
    supported = 0;
    CHECK_FALSE(maps_memory(gpu.driver, 0));
  }
  SECTION("a function is missing") {
    gpu.driver.cuMemUnmap = nullptr;
    CHECK_FALSE(maps_memory(gpu.driver, 0));
    CHECK(DriverMappings(gpu.driver, 0, gpu.transfers, gpu.state).most_reserved() == 0);
  }
}

TEST_CASE("what a program maps is this GPU's, and work that may use it is waited for") {
  Gpu gpu;
  DriverMappings mappings(gpu.driver, 3, gpu.transfers, gpu.state);
  REQUIRE(mappings.most_reserved() != 0);
  pegasus::device::Address base = 0;
  DriverMappings::MemoryId memory = 0;
  pegasus::device::Range const range{16 * mapping_granule, mapping_granule};
  REQUIRE(mappings.reserve_addresses(range.bytes, 0, range.base, base) == Status::success);
  CHECK(base == range.base);
  REQUIRE(mappings.create(mapping_granule, memory) == Status::success);
  REQUIRE(mappings.map(range, memory) == Status::success);
  REQUIRE(mappings.set_access(range, true) == Status::success);
  CHECK(asked == "create on 3 map 7 from 0 access 3 of 3 ");
  asked.clear();
  REQUIRE(mappings.zero(range) == Status::success);
  CHECK(gpu.time.fills == 1);
  REQUIRE(mappings.set_access(range, false) == Status::success);
  REQUIRE(mappings.unmap(range, memory, true) == Status::success);
  REQUIRE(mappings.destroy(memory, mapping_granule) == Status::success);
  CHECK(asked == "wait access 0 of 3 wait unmap release 7 ");
}
