// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/memory_table.h"

#include "frontend/cuda/testing/fixture.h"

#include <cstring>
#include <numeric>
#include <vector>

using namespace pegasus::driver::testing;
using pegasus::driver::Allocation;
using pegasus::driver::MemoryTable;

TEST_CASE("the table knows disjoint ranges to the byte") {
  MemoryTable table;
  CHECK(table.insert({.base = 0x1000, .bytes = 0x100}));
  CHECK(table.insert({.base = 0x1100, .bytes = 1}));
  CHECK_FALSE(table.insert({.base = 0x10ff, .bytes = 1}));
  CHECK_FALSE(table.insert({.base = 0xf00, .bytes = 0x101}));
  CHECK(table.insert({.base = 0xf00, .bytes = 0x100}));
  CHECK(table.find(0x10ff)->base == 0x1000);
  CHECK(table.find(0x1100)->base == 0x1100);
  CHECK_FALSE(table.find(0x1101));
  CHECK_FALSE(table.find(0xeff));
  CHECK_FALSE(table.take(0x1001, [](Allocation const&) { return true; }));
  CHECK(table.take(0x1000, [](Allocation const&) { return true; }));
  CHECK_FALSE(table.find(0x1000));
}

TEST_CASE_METHOD(Fixture, "copies there and back, and over the edge") {
  std::vector<unsigned char> source(1000);
  std::iota(source.begin(), source.end(), static_cast<unsigned char>(1));
  std::vector<unsigned char> target(1000);
  CUdeviceptr const a = allocate(1000);
  CUdeviceptr const b = allocate(1000);
  CHECK(cuMemcpyHtoD_v2(a, source.data(), 1000) == CUDA_SUCCESS);
  CHECK(cuMemcpyDtoD_v2(b, a, 1000) == CUDA_SUCCESS);
  CHECK(cuMemcpyDtoH_v2(target.data(), b, 1000) == CUDA_SUCCESS);
  CHECK(target == source);
  CHECK(cuMemcpyHtoD_v2(a + 1, source.data(), 1000) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemcpyHtoD_v2(a, source.data(), ~std::size_t{0}) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemcpyDtoH_v2(target.data(), 0x1234, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemcpyDtoH_v2(nullptr, a, 1) == CUDA_ERROR_INVALID_VALUE);
  // b is not a host address
  CHECK(cuMemcpyHtoD_v2(a, reinterpret_cast<void*>(b), 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemcpyHtoD_v2(0, nullptr, 0) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(Fixture, "an allocation that overlaps another or exceeds the address space is refused") {
  CUdeviceptr const a = allocate(0x1000);
  CUdeviceptr b = 0;
  std::uint64_t const lies[] = {a, a + 1, a - 1, ~std::uint64_t{0} - 1};
  device.next_allocation = lies[GENERATE(0u, 1u, 2u, 3u)];
  CHECK(cuMemAlloc_v2(&b, 0x1000) == CUDA_ERROR_UNKNOWN);
  CHECK(b == 0);
  CHECK(cuMemAlloc_v2(&b, 0x1000) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(Fixture, "cuMemcpy tells host from device by the address") {
  int host = 42;
  int back = 0;
  int other = 0;
  auto const address = [](int& i) { return static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(&i)); };
  CUdeviceptr const a = allocate(4);
  CHECK(cuMemcpy(a, address(host), 4) == CUDA_SUCCESS);
  CHECK(cuMemcpy(address(back), a, 4) == CUDA_SUCCESS);
  CHECK(back == 42);
  CHECK(cuMemcpyAsync(address(other), address(host), 4, nullptr) == CUDA_SUCCESS);
  CHECK(other == 42);
}

TEST_CASE_METHOD(Fixture, "2D copies of a rectangle in a rectangle") {
  unsigned char source[4][8];
  for (int i = 0; i < 32; ++i)
    source[i / 8][i % 8] = static_cast<unsigned char>(i);
  CUdeviceptr p = 0;
  std::size_t pitch = 0;
  REQUIRE(cuMemAllocPitch_v2(&p, &pitch, 8, 4, 4) == CUDA_SUCCESS);
  CHECK(pitch == 512);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = source;
  copy.srcPitch = 8;
  copy.srcXInBytes = 2;
  copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = p;
  copy.dstPitch = pitch;
  copy.dstXInBytes = 3;
  copy.dstY = 2;
  copy.WidthInBytes = 4;
  copy.Height = 2;
  CHECK(cuMemcpy2D_v2(&copy) == CUDA_SUCCESS);
  CHECK(std::to_integer<int>(*device.at(p + 2 * pitch + 3, 1)) == 10);
  CHECK(std::to_integer<int>(*device.at(p + 3 * pitch + 6, 1)) == 21);
  copy.Height = 3; // below the last row
  CHECK(cuMemcpy2D_v2(&copy) == CUDA_ERROR_INVALID_VALUE);
  copy.Height = 2;
  copy.WidthInBytes = 7; // wider than the source's pitch
  CHECK(cuMemcpy2DUnaligned_v2(&copy) == CUDA_ERROR_INVALID_VALUE);
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  CHECK(cuMemcpy2D_v2(&copy) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE_METHOD(Fixture, "3D copies go slice by slice") {
  unsigned char source[3][2][4];
  std::memset(source, 0, sizeof source);
  source[2][1][3] = 77;
  CUdeviceptr const p = allocate(sizeof source);
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = source;
  copy.srcPitch = 4;
  copy.srcHeight = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.dstDevice = p;
  copy.dstPitch = 4;
  copy.dstHeight = 2;
  copy.WidthInBytes = 4;
  copy.Height = 2;
  copy.Depth = 3;
  CHECK(cuMemcpy3D_v2(&copy) == CUDA_SUCCESS);
  CHECK(std::to_integer<int>(*device.at(p + 23, 1)) == 77);
  copy.dstHeight = 1;
  CHECK(cuMemcpy3D_v2(&copy) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Fixture, "memsets of each width check size and alignment") {
  CUdeviceptr const p = allocate(64);
  std::uint32_t words[16] = {};
  CHECK(cuMemsetD32_v2(p, 0x01020304, 16) == CUDA_SUCCESS);
  CHECK(cuMemsetD16_v2(p + 2, 0xabcd, 1) == CUDA_SUCCESS);
  CHECK(cuMemsetD8_v2(p + 5, 0xff, 1) == CUDA_SUCCESS);
  CHECK(cuMemsetD2D8_v2(p + 32, 16, 9, 1, 2) == CUDA_SUCCESS);
  REQUIRE(cuMemcpyDtoH_v2(words, p, 64) == CUDA_SUCCESS);
  CHECK(words[0] == 0xabcd0304);
  CHECK(words[1] == 0x0102ff04);
  CHECK(words[8] == 0x01020309);
  CHECK(words[12] == 0x01020309);
  CHECK(cuMemsetD32_v2(p + 2, 0, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemsetD16_v2(p + 1, 0, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemsetD32_v2(p, 0, 17) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemsetD32_v2(p, 0, std::size_t{1} << 62) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemsetD2D32_v2(p, 6, 0, 1, 2) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Fixture, "allocation and freeing") {
  CUdeviceptr p = 0;
  CHECK(cuMemAlloc_v2(&p, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAlloc_v2(&p, std::size_t{1} << 40) == CUDA_ERROR_OUT_OF_MEMORY);
  CHECK(cuMemFree_v2(0) == CUDA_SUCCESS);
  CHECK(cuMemFree_v2(12345) == CUDA_ERROR_INVALID_VALUE);
  p = allocate(100);
  CHECK(cuMemFree_v2(p + 4) == CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  CHECK(cuMemGetAddressRange_v2(&base, &bytes, p + 99) == CUDA_SUCCESS);
  CHECK(base == p);
  CHECK(bytes == 100);
  CHECK(cuMemFree_v2(p) == CUDA_SUCCESS);
  CHECK(cuMemFree_v2(p) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAllocPitch_v2(&p, &bytes, 100, 10, 3) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAllocManaged(&p, 4, CU_MEM_ATTACH_GLOBAL) == CUDA_ERROR_NOT_SUPPORTED);
  REQUIRE(cuMemAllocAsync(&p, 64, nullptr) == CUDA_SUCCESS);
  CHECK(cuMemFreeAsync(p, nullptr) == CUDA_SUCCESS);
  CHECK(cuMemFreeAsync(p, nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Fixture, "pinned and registered host memory") {
  void* p = nullptr;
  unsigned flags = 0;
  REQUIRE(cuMemHostAlloc(&p, 100, CU_MEMHOSTALLOC_PORTABLE) == CUDA_SUCCESS);
  CHECK(cuMemHostGetFlags(&flags, p) == CUDA_SUCCESS);
  CHECK(flags == (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
  CHECK(cuMemHostUnregister(p) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemFreeHost(static_cast<char*>(p) + 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemFreeHost(p) == CUDA_SUCCESS);
  CHECK(cuMemFreeHost(p) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemFreeHost(nullptr) == CUDA_SUCCESS);
  CHECK(cuMemHostAlloc(&p, 0, 0) == CUDA_SUCCESS);
  CHECK(p == nullptr);
  CHECK(cuMemHostAlloc(nullptr, 0, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemHostUnregister(nullptr) == CUDA_ERROR_INVALID_VALUE);
  char own[64];
  CHECK(cuMemHostRegister_v2(own, 64, 0) == CUDA_SUCCESS);
  CHECK(cuMemHostRegister_v2(own + 8, 8, 0) == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  CHECK(cuMemHostUnregister(own) == CUDA_SUCCESS);
  CHECK(cuMemHostUnregister(own) == CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_CASE_METHOD(Fixture, "either of the sizes of memory may be asked for alone") {
  std::size_t free_bytes = 0, total_bytes = 0;
  REQUIRE(cuMemGetInfo_v2(&free_bytes, &total_bytes) == CUDA_SUCCESS);
  std::size_t one = 0;
  CHECK(cuMemGetInfo_v2(&one, nullptr) == CUDA_SUCCESS);
  CHECK(one == free_bytes);
  CHECK(cuMemGetInfo_v2(nullptr, &one) == CUDA_SUCCESS);
  CHECK(one == total_bytes);
}

TEST_CASE_METHOD(Fixture, "what a pointer points to") {
  CUdeviceptr const p = allocate(100);
  unsigned type = 0;
  CUcontext owner = nullptr;
  std::size_t bytes = 0;
  CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 5) == CUDA_SUCCESS);
  CHECK(type == CU_MEMORYTYPE_DEVICE);
  CHECK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, p) == CUDA_SUCCESS);
  CHECK(owner == context);
  CHECK(cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p) == CUDA_SUCCESS);
  CHECK(bytes == 100);
  int local = 0;
  auto const mine = static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(&local));
  CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, mine) == CUDA_ERROR_INVALID_VALUE);
  CUpointer_attribute numbers[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_CONTEXT};
  void* values[] = {&type, &owner};
  CHECK(cuPointerGetAttributes(2, numbers, values, mine) == CUDA_SUCCESS);
  CHECK(type == 0);
  CHECK(owner == nullptr);
}
