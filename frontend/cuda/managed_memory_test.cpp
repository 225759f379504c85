// SPDX-License-Identifier: Apache-2.0
// Memory in the host window: managed, and pinned.
#include "frontend/cuda/memory_table.h"

#include "frontend/cuda/testing/fixture.h"

#include <cstring>

using namespace pegasus::driver::testing;

namespace {

struct Shared : Fixture {
  Shared() { device.share_memory(); }
};

std::uint32_t* program(CUdeviceptr address) {
  return reinterpret_cast<std::uint32_t*>(static_cast<std::uintptr_t>(address));
}

CUdeviceptr managed(std::size_t bytes) {
  CUdeviceptr address = 0;
  REQUIRE(cuMemAllocManaged(&address, bytes, CU_MEM_ATTACH_GLOBAL) == CUDA_SUCCESS);
  return address;
}

int attribute(CUdevice_attribute number) {
  int value = -1;
  REQUIRE(cuDeviceGetAttribute(&value, number, 0) == CUDA_SUCCESS);
  return value;
}

CUmemLocation place(CUmemLocationType type, int id) {
  CUmemLocation location{};
  location.type = type;
  location.id = id;
  return location;
}

template <class T> T pointer_attribute(CUpointer_attribute number, std::uint64_t address) {
  T value{};
  REQUIRE(cuPointerGetAttribute(&value, number, address) == CUDA_SUCCESS);
  return value;
}

} // namespace

TEST_CASE_METHOD(Shared, "managed memory is the program's own, and freed as device memory is") {
  CUdeviceptr p = 0;
  CHECK(cuMemAllocManaged(&p, 0, CU_MEM_ATTACH_GLOBAL) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAllocManaged(nullptr, 4, CU_MEM_ATTACH_GLOBAL) == CUDA_ERROR_INVALID_VALUE);
  for (unsigned const flags : {0u, unsigned{CU_MEM_ATTACH_SINGLE}, 8u})
    CHECK(cuMemAllocManaged(&p, 4, flags) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAllocManaged(&p, 2u << 20, CU_MEM_ATTACH_HOST) == CUDA_ERROR_OUT_OF_MEMORY);
  p = managed(64);
  *program(p) = 1;
  CHECK(*reinterpret_cast<std::uint32_t*>(device.at(p, 64)) == 1);
  CHECK(pointer_attribute<unsigned>(CU_POINTER_ATTRIBUTE_IS_MANAGED, p) == 1);
  CHECK(pointer_attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, p + 8) == p + 8);
  CHECK(pointer_attribute<std::uint64_t>(CU_POINTER_ATTRIBUTE_HOST_POINTER, p + 8) == p + 8);
  CHECK(cuMemFreeHost(program(p)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemFree_v2(p) == CUDA_SUCCESS);
  CHECK(cuMemFree_v2(p) == CUDA_ERROR_INVALID_VALUE);
  CHECK_THROWS(device.at(p, 1));
}

TEST_CASE_METHOD(Shared, "pinned memory is mapped, and where there is no room it is the program's own") {
  void* p = nullptr;
  CUdeviceptr address = 0;
  REQUIRE(cuMemHostAlloc(&p, 4096, CU_MEMHOSTALLOC_DEVICEMAP) == CUDA_SUCCESS);
  REQUIRE(cuMemHostGetDevicePointer_v2(&address, static_cast<char*>(p) + 100, 0) == CUDA_SUCCESS);
  CHECK(program(address) == static_cast<void*>(static_cast<char*>(p) + 100));
  CHECK(pointer_attribute<unsigned>(CU_POINTER_ATTRIBUTE_IS_MANAGED, address) == 0);
  CHECK(pointer_attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) == CU_MEMORYTYPE_HOST);
  CHECK(pointer_attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, address) == address);
  void* large = nullptr;
  REQUIRE(cuMemHostAlloc(&large, 2u << 20, 0) == CUDA_SUCCESS);
  CHECK(cuMemHostGetDevicePointer_v2(&address, large, 0) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(cuMemFreeHost(large) == CUDA_SUCCESS);
  CHECK(cuMemFreeHost(p) == CUDA_SUCCESS);
  CHECK(cuMemFreeHost(p) == CUDA_ERROR_INVALID_VALUE);
  char own[64];
  REQUIRE(cuMemHostRegister_v2(own, sizeof own, CU_MEMHOSTREGISTER_DEVICEMAP) == CUDA_SUCCESS);
  CHECK(cuMemHostGetDevicePointer_v2(&address, own, 0) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(cuMemHostUnregister(own) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(Shared, "what is left of a context's shared memory goes with it") {
  CUdeviceptr const kept = managed(64);
  void* pinned = nullptr;
  REQUIRE(cuMemHostAlloc(&pinned, 64, 0) == CUDA_SUCCESS);
  REQUIRE(cuCtxDestroy_v2(context) == CUDA_SUCCESS);
  CHECK_THROWS(device.at(kept, 1));
  CHECK_THROWS(device.at(reinterpret_cast<std::uintptr_t>(pinned), 1));
  REQUIRE(cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(Shared, "the worker copies shared memory; a blocking copy or fill waits for it") {
  CUdeviceptr const a = managed(64), far = allocate(64);
  void* pinned = nullptr;
  REQUIRE(cuMemHostAlloc(&pinned, 64, 0) == CUDA_SUCCESS);
  std::memset(pinned, 7, 64);
  auto const waits = [&](auto&& call) {
    unsigned const before = device.synchronizations;
    CHECK(call() == CUDA_SUCCESS);
    return device.synchronizations != before;
  };
  CHECK(waits([&] { return cuMemcpyHtoD_v2(far, pinned, 64); }));
  CHECK_FALSE(waits([&] { return cuMemcpyHtoDAsync_v2(far, pinned, 64, nullptr); }));
  CHECK_FALSE(waits([&] { return cuMemcpyDtoHAsync_v2(program(a), far, 64, nullptr); }));
  CHECK(*program(a) == 0x07070707);
  CHECK(waits([&] { return cuMemcpy(a, far, 64); }));
  CHECK(waits([&] { return cuMemcpyDtoD_v2(a, far, 64); }));
  CHECK_FALSE(waits([&] { return cuMemcpyDtoD_v2(far, far, 64); }));
  CHECK(waits([&] { return cuMemsetD32_v2(a, 5, 16); }));
  CHECK_FALSE(waits([&] { return cuMemsetD32Async(a, 6, 16, nullptr); }));
  CHECK(waits([&] { return cuMemsetD32_v2(reinterpret_cast<std::uintptr_t>(pinned), 5, 16); }));
  CHECK(cuMemcpyHtoD_v2(far, static_cast<char*>(pinned) + 1, 64) == CUDA_ERROR_INVALID_VALUE);
  std::uint32_t const own = 9; // pageable
  CHECK(waits([&] { return cuMemcpyHtoD_v2(a, &own, sizeof own); }));
  CHECK(*program(a) == 9);
}

TEST_CASE_METHOD(Shared, "hints are checked") {
  CUdeviceptr const a = managed(64), device_only = allocate(64);
  CUmemLocation const here = place(CU_MEM_LOCATION_TYPE_DEVICE, 0),
                      host = place(CU_MEM_LOCATION_TYPE_HOST, 0),
                      nowhere = place(CU_MEM_LOCATION_TYPE_DEVICE, 7);
  CHECK(cuMemPrefetchAsync_v2(a, 64, here, 0, nullptr) == CUDA_SUCCESS);
  CHECK(cuMemPrefetchAsync_v2(a + 60, 4, host, 0, nullptr) == CUDA_SUCCESS);
  CHECK(cuMemPrefetchAsync_v2(a + 60, 5, host, 0, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemPrefetchAsync_v2(a, 64, nowhere, 0, nullptr) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(cuMemPrefetchAsync_v2(a, 64, here, 1, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemPrefetchAsync_v2(device_only, 64, here, 0, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAdvise_v2(a, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, nowhere) == CUDA_SUCCESS);
  CHECK(cuMemAdvise_v2(a, 64, CU_MEM_ADVISE_SET_ACCESSED_BY, nowhere) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(cuMemAdvise_v2(a, 64, static_cast<CUmem_advise>(0), here) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAdvise_v2(a, 0, CU_MEM_ADVISE_SET_READ_MOSTLY, here) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAdvise_v2(device_only, 4, CU_MEM_ADVISE_SET_READ_MOSTLY, here) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuStreamAttachMemAsync(nullptr, a, 0, CU_MEM_ATTACH_SINGLE) == CUDA_SUCCESS);
  CHECK(cuStreamAttachMemAsync(nullptr, a, 64, CU_MEM_ATTACH_HOST) == CUDA_SUCCESS);
  CHECK(cuStreamAttachMemAsync(nullptr, a, 32, CU_MEM_ATTACH_GLOBAL) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuStreamAttachMemAsync(nullptr, a, 0, 3) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuStreamAttachMemAsync(nullptr, device_only, 0, CU_MEM_ATTACH_GLOBAL) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Shared, "a worker's address outside of the window is not taken for shared memory") {
  CUdeviceptr p = 0;
  void* pinned = nullptr;
  std::uint64_t const lies[] = {0x1000, PEGASUS_HOST_WINDOW + (1u << 20) - 32, PEGASUS_HOST_WINDOW - 64,
                                ~std::uint64_t{0} - 63};
  for (std::uint64_t const lie : lies) {
    CAPTURE(lie);
    device.next_allocation = lie;
    CHECK(cuMemAllocManaged(&p, 64, CU_MEM_ATTACH_GLOBAL) == CUDA_ERROR_UNKNOWN);
    device.next_allocation = lie;
    CHECK(cuMemHostAlloc(&pinned, 64, 0) == CUDA_ERROR_UNKNOWN);
  }
  device.set_attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1);
  for (std::uint64_t const lie :
       {PEGASUS_HOST_WINDOW, PEGASUS_HOST_WINDOW - 32, PEGASUS_HOST_WINDOW + (1u << 20) - 1}) {
    device.next_allocation = lie; // and device memory is not in it
    CHECK(cuMemAlloc_v2(&p, 64) == CUDA_ERROR_UNKNOWN);
    device.next_allocation = lie;
    CHECK(cuMemAddressReserve(&p, 4096, 0, 0, 0) == CUDA_ERROR_UNKNOWN);
  }
  device.set_attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0);
  CHECK((p == 0 && pinned == nullptr));
}

TEST_CASE_METHOD(Fixture, "without a window there is neither, and the attributes say so") {
  device.set_attribute(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1);
  CHECK(attribute(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY) == 0);
  CUdeviceptr p = 0;
  CHECK(cuMemAllocManaged(&p, 4, CU_MEM_ATTACH_GLOBAL) == CUDA_ERROR_NOT_SUPPORTED);
  void* pinned = nullptr;
  REQUIRE(cuMemHostAlloc(&pinned, 4, 0) == CUDA_SUCCESS);
  CHECK(cuMemHostGetDevicePointer_v2(&p, pinned, 0) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(cuMemFreeHost(pinned) == CUDA_SUCCESS);
  device.share_memory();
  CHECK(attribute(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY) == 1);
}
