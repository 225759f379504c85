// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/mapping_table.h"

#include "frontend/cuda/testing/fixture.h"

#include <vector>

using namespace pegasus::driver::testing;

namespace {

constexpr std::size_t unit = PEGASUS_MAPPING_GRANULE;
using Handle = CUmemGenericAllocationHandle;

struct Mapping : Fixture {
  CUmemAllocationProp properties{};
  CUmemAccessDesc access{};
  CUdeviceptr base = 0;

  Mapping() {
    device.set_attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1);
    device.physical.clear();
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = access.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    REQUIRE(cuMemAddressReserve(&base, 16 * unit, 0, 0, 0) == CUDA_SUCCESS);
  }
  ~Mapping() { device.set_attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0); }
  Mapping(Mapping const&) = delete;
  Mapping& operator=(Mapping const&) = delete;

  Handle create(std::size_t units) {
    Handle handle = 0;
    REQUIRE(cuMemCreate(&handle, units * unit, &properties, 0) == CUDA_SUCCESS);
    return handle;
  }
  [[nodiscard]] CUdeviceptr at(std::size_t units) const { return base + units * unit; }
  Handle place(std::size_t where, std::size_t units) {
    Handle const handle = create(units);
    REQUIRE(cuMemMap(at(where), units * unit, 0, handle, 0) == CUDA_SUCCESS);
    return handle;
  }
  CUresult set_access(std::size_t where, std::size_t units) {
    return cuMemSetAccess(at(where), units * unit, &access, 1);
  }
};

} // namespace

TEST_CASE_METHOD(Mapping, "a device without virtual memory management refuses all of it") {
  device.set_attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0);
  std::size_t granularity = 0;
  Handle handle = 0;
  CHECK(cuMemAddressReserve(&base, unit, 0, 0, 0) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(cuMemCreate(&handle, unit, &properties, 0) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM) ==
        CUDA_ERROR_NOT_SUPPORTED);
}

TEST_CASE_METHOD(Mapping, "the granularity is that of the device's memory") {
  std::size_t granularity = 0;
  for (auto const option : {CU_MEM_ALLOC_GRANULARITY_MINIMUM, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED})
    CHECK(cuMemGetAllocationGranularity(&granularity, &properties, option) == CUDA_SUCCESS);
  CHECK(granularity == unit);
  CHECK(cuMemGetAllocationGranularity(nullptr, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Mapping, "which memory can be created") {
  Handle handle = 0;
  auto const status = [&] { return cuMemCreate(&handle, unit, &properties, 0); };
  CHECK(cuMemCreate(&handle, 0, &properties, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemCreate(&handle, unit + 4096, &properties, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemCreate(&handle, unit, &properties, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemCreate(&handle, unit, nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  SECTION("of another device") {
    properties.location.id = 1;
    CHECK(status() == CUDA_ERROR_INVALID_DEVICE);
  }
  SECTION("of the host") {
    properties.location.type = GENERATE(CU_MEM_LOCATION_TYPE_HOST, CU_MEM_LOCATION_TYPE_HOST_NUMA);
    CHECK(status() == CUDA_ERROR_NOT_SUPPORTED);
  }
  SECTION("of the current NUMA node, or of nothing") {
    properties.location.type = GENERATE(CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, CU_MEM_LOCATION_TYPE_NONE);
    CHECK(status() == CUDA_ERROR_INVALID_VALUE);
  }
  SECTION("of another type") {
    properties.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    CHECK(status() == CUDA_ERROR_INVALID_VALUE);
  }
  SECTION("that a descriptor could export: only the export is refused") {
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CHECK(status() == CUDA_SUCCESS);
  }
  SECTION("for a fabric") {
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
    CHECK(status() == CUDA_ERROR_NOT_SUPPORTED);
  }
  SECTION("a pool of tiles") {
    properties.allocFlags.usage = CU_MEM_CREATE_USAGE_TILE_POOL;
    CHECK(status() == CUDA_ERROR_NOT_SUPPORTED);
  }
  SECTION("compressed: it is not, and says so") {
    properties.allocFlags.compressionType = 1;
    CHECK(status() == CUDA_SUCCESS);
    CUmemAllocationProp made{};
    CHECK(cuMemGetAllocationPropertiesFromHandle(&made, handle) == CUDA_SUCCESS);
    CHECK(made.allocFlags.compressionType == 0);
    CHECK(made.location.type == CU_MEM_LOCATION_TYPE_DEVICE);
  }
}

TEST_CASE_METHOD(Mapping, "what cannot be mapped") {
  Handle const handle = create(2), other = create(1);
  CHECK(cuMemMap(at(0), 2 * unit, unit, handle, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemMap(at(0), 2 * unit, 0, handle, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemMap(at(0), 3 * unit, 0, handle, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemMap(at(0) + 4096, unit, 0, handle, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemMap(at(15), 2 * unit, 0, handle, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemMap(at(0), unit, 0, 12345, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemMap(allocate(unit), unit, 0, handle, 0) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(cuMemMap(at(4), 2 * unit, 0, handle, 0) == CUDA_SUCCESS);
  CHECK(cuMemMap(at(8), 2 * unit, 0, handle, 0) == CUDA_ERROR_NOT_SUPPORTED); // at a second address
  CHECK(cuMemMap(at(5), unit, 0, other, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAddressFree(base, 16 * unit) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Mapping, "only whole mappings are unmapped or made accessible") {
  place(0, 2);
  place(2, 1);
  place(4, 1);
  CHECK(cuMemUnmap(at(0), unit) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemUnmap(at(0), 5 * unit) == CUDA_ERROR_INVALID_VALUE);
  CHECK(set_access(1, 2) == CUDA_ERROR_INVALID_VALUE);
  CHECK(set_access(2, 3) == CUDA_ERROR_INVALID_VALUE);
  CHECK(set_access(0, 3) == CUDA_SUCCESS);
  CHECK(cuMemUnmap(at(0), 3 * unit) == CUDA_SUCCESS);
  CHECK(cuMemUnmap(at(0), 3 * unit) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Mapping, "access is asked for as it was set") {
  place(0, 1);
  unsigned long long flags = 7;
  CUmemLocation const here = access.location;
  CHECK(cuMemGetAccess(&flags, &here, at(0) + 100) == CUDA_SUCCESS);
  CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
  REQUIRE(set_access(0, 1) == CUDA_SUCCESS);
  CHECK(cuMemGetAccess(&flags, &here, at(1) - 1) == CUDA_SUCCESS);
  CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CHECK(cuMemGetAccess(&flags, &here, at(1)) == CUDA_ERROR_INVALID_VALUE);
  CUmemLocation const elsewhere{.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 1};
  CHECK(cuMemGetAccess(&flags, &elsewhere, at(0)) == CUDA_ERROR_INVALID_DEVICE);
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
  CHECK(set_access(0, 1) == CUDA_ERROR_NOT_SUPPORTED);
  access.flags = static_cast<CUmemAccess_flags>(2);
  CHECK(set_access(0, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemSetAccess(at(0), unit, &access, 0) == CUDA_ERROR_INVALID_VALUE);
  access.location.id = 1;
  CHECK(set_access(0, 1) == CUDA_ERROR_INVALID_DEVICE);
}

TEST_CASE_METHOD(Mapping, "copies reach what is accessible, across mappings, and nothing else") {
  place(0, 1);
  std::vector<unsigned char> bytes(unit + 1, 3), back(2 * unit);
  CHECK(cuMemcpyHtoD_v2(at(0), bytes.data(), 1) == CUDA_ERROR_INVALID_VALUE);
  place(1, 1);
  REQUIRE(set_access(0, 2) == CUDA_SUCCESS);
  CHECK(cuMemcpyHtoD_v2(at(0), bytes.data(), bytes.size()) == CUDA_SUCCESS);
  CHECK(cuMemcpy(reinterpret_cast<CUdeviceptr>(back.data()), at(0), back.size()) == CUDA_SUCCESS);
  CHECK(back[unit] == 3);
  CHECK(cuMemcpyDtoH_v2(back.data(), at(1) + 1, unit) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemcpy(reinterpret_cast<CUdeviceptr>(back.data()), at(2), 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemFree_v2(at(0)) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Mapping, "the mapping is what a pointer's attributes tell of") {
  place(0, 1);
  place(1, 2);
  CUdeviceptr start = 0;
  std::size_t bytes = 0;
  unsigned type = 0;
  CHECK(cuMemGetAddressRange_v2(&start, &bytes, at(2)) == CUDA_SUCCESS);
  CHECK((start == at(1) && bytes == 2 * unit));
  CHECK(cuMemGetAddressRange_v2(&start, &bytes, at(3)) == CUDA_ERROR_NOT_FOUND);
  CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at(2)) == CUDA_SUCCESS);
  CHECK(type == CU_MEMORYTYPE_DEVICE);
  CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, at(2)) == CUDA_SUCCESS);
  CHECK(type == CU_MEM_ACCESS_FLAGS_PROT_NONE);
  CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at(3)) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Mapping, "a handle lives as long as it has references or is mapped") {
  Handle const handle = place(0, 1);
  CHECK(cuMemRelease(handle) == CUDA_SUCCESS);
  CHECK(cuMemRelease(handle) == CUDA_ERROR_INVALID_VALUE);
  CHECK(device.physical.contains(handle));
  Handle again = 0;
  CHECK(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(at(0) + 5)) == CUDA_SUCCESS);
  CHECK(again == handle);
  CHECK(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(at(0))) == CUDA_SUCCESS);
  CHECK(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(at(1))) == CUDA_ERROR_INVALID_VALUE);
  SECTION("references last") {
    CHECK(cuMemUnmap(at(0), unit) == CUDA_SUCCESS);
    CHECK(cuMemRelease(handle) == CUDA_SUCCESS);
    CHECK(device.physical.contains(handle));
    CHECK(cuMemRelease(handle) == CUDA_SUCCESS);
  }
  SECTION("the mapping last") {
    CHECK(cuMemRelease(handle) == CUDA_SUCCESS);
    CHECK(cuMemRelease(handle) == CUDA_SUCCESS);
    CHECK(cuMemUnmap(at(0), unit) == CUDA_SUCCESS);
  }
  CHECK_FALSE(device.physical.contains(handle));
  CHECK(cuMemMap(at(0), unit, 0, handle, 0) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Mapping, "a reservation is freed by its address and its size") {
  CHECK(cuMemAddressFree(base + unit, 15 * unit) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAddressFree(base, unit) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAddressFree(allocate(unit), unit) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAddressFree(base, 16 * unit) == CUDA_SUCCESS);
  CHECK(cuMemAddressFree(base, 16 * unit) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Mapping, "the device's reset ends handles and mappings") {
  Handle const handle = place(0, 1);
  REQUIRE(cuCtxDestroy_v2(context) == CUDA_SUCCESS);
  REQUIRE(cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS);
  CHECK(cuMemUnmap(base, unit) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemRelease(handle) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAddressFree(base, 16 * unit) == CUDA_ERROR_INVALID_VALUE);
}
