// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/pool.h"
#include "frontend/cuda/testing/fixture.h"

using namespace pegasus::driver::testing;

namespace {

constexpr std::size_t bytes = 4096;

struct WithStream : Fixture {
  CUstream stream = nullptr, other = nullptr;
  CUmemoryPool pool = nullptr;

  WithStream() {
    REQUIRE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    REQUIRE(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    REQUIRE(cuDeviceGetDefaultMemPool(&pool, 0) == CUDA_SUCCESS);
    set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 0);
  }
  void set(CUmemPool_attribute number, cuuint64_t value) const {
    REQUIRE(cuMemPoolSetAttribute(pool, number, &value) == CUDA_SUCCESS);
  }
  [[nodiscard]] cuuint64_t get(CUmemPool_attribute number) const {
    cuuint64_t value = 0;
    REQUIRE(cuMemPoolGetAttribute(pool, number, &value) == CUDA_SUCCESS);
    return value;
  }
  [[nodiscard]] static CUdeviceptr allocate(CUstream in, std::size_t size = bytes) {
    CUdeviceptr address = 0;
    REQUIRE(cuMemAllocAsync(&address, size, in) == CUDA_SUCCESS);
    return address;
  }
};

} // namespace

TEST_CASE_METHOD(WithStream, "what a stream freed it has again at once, and no other stream") {
  CUdeviceptr const first = allocate(stream);
  CHECK(cuMemFreeAsync(first, stream) == CUDA_SUCCESS);
  CHECK(device.synchronizations == 0);
  CHECK(cuMemFreeAsync(first, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemcpyDtoDAsync_v2(first, first, 4, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(allocate(other) != first);
  CHECK(allocate(stream, bytes - 1) == first);
  CHECK(device.memory.size() == 2);
  std::size_t size = 0;
  CHECK(cuMemGetAddressRange_v2(nullptr, &size, first) == CUDA_SUCCESS);
  CHECK(size == bytes - 1);
  CHECK(device.synchronizations == 0);
}

TEST_CASE_METHOD(WithStream, "what a pool keeps beyond its threshold is given back when the program waits") {
  CUdeviceptr const kept = allocate(stream);
  CHECK(cuMemFreeAsync(kept, stream) == CUDA_SUCCESS);
  CHECK(cuStreamSynchronize(other) == CUDA_SUCCESS);
  CHECK(device.memory.size() == 1);
  set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, bytes);
  CHECK(cuStreamSynchronize(stream) == CUDA_SUCCESS);
  CHECK(device.memory.size() == 1);
  CUdeviceptr const more = allocate(other);
  CHECK(cuMemFreeAsync(more, other) == CUDA_SUCCESS);
  SECTION("for the stream") {
    CHECK(cuStreamSynchronize(other) == CUDA_SUCCESS);
    CHECK(device.memory.size() == 1);
    CHECK(device.memory.contains(kept));
  }
  SECTION("for the context") {
    set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 0);
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
    CHECK(device.memory.empty());
  }
}

TEST_CASE_METHOD(WithStream,
                 "a stream ends at once, and what it freed goes back when the program waits for all") {
  set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, ~cuuint64_t{0});
  CHECK(cuMemFreeAsync(allocate(stream), stream) == CUDA_SUCCESS);
  CHECK(cuStreamDestroy_v2(stream) == CUDA_SUCCESS);
  CHECK(device.synchronizations == 0); // its work may wait for what this thread does next
  CHECK(cuStreamSynchronize(other) == CUDA_SUCCESS);
  CHECK(device.memory.size() == 1);
  SECTION("waits") { CHECK(cuCtxSynchronize() == CUDA_SUCCESS); }
  SECTION("needs the memory") {
    device.most_allocations = 1;
    CHECK(cuMemFree_v2(Fixture::allocate(16)) == CUDA_SUCCESS);
    CHECK(device.synchronizations == 2);
  }
  CHECK(device.memory.empty());
  CHECK(get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 0);
}

TEST_CASE_METHOD(WithStream, "memory that is short is taken from what pools keep") {
  set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, ~cuuint64_t{0});
  device.most_allocations = 1;
  CHECK(cuMemFreeAsync(allocate(stream), stream) == CUDA_SUCCESS);
  CUdeviceptr address = 0;
  CHECK(cuMemAlloc_v2(&address, bytes) == CUDA_SUCCESS);
  CHECK(device.synchronizations == 1); // the stream's work may have used it
  CHECK(cuMemAllocAsync(&address, bytes, stream) == CUDA_ERROR_OUT_OF_MEMORY);
  CHECK(device.synchronizations == 1);
}

TEST_CASE_METHOD(WithStream, "a pool's attributes tell what it has, and watermarks are reset with zero") {
  CUdeviceptr const address = allocate(stream);
  CHECK(get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == bytes);
  CHECK(cuMemFreeAsync(address, stream) == CUDA_SUCCESS);
  CHECK(get(CU_MEMPOOL_ATTR_USED_MEM_CURRENT) == 0);
  CHECK(get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == bytes);
  CHECK(cuMemPoolTrimTo(pool, 0) == CUDA_SUCCESS);
  CHECK(device.memory.empty());
  CHECK(get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 0);
  CHECK(get(CU_MEMPOOL_ATTR_USED_MEM_HIGH) == bytes);
  CHECK(get(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) == bytes);
  set(CU_MEMPOOL_ATTR_USED_MEM_HIGH, 0);
  set(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, 0);
  CHECK(get(CU_MEMPOOL_ATTR_USED_MEM_HIGH) == 0);
  CHECK(get(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) == 0);
  cuuint64_t value = 1;
  CHECK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value) == CUDA_ERROR_INVALID_VALUE);
  value = 0;
  CHECK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value) == CUDA_ERROR_INVALID_VALUE);
  int reuse = 0;
  CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &reuse) == CUDA_SUCCESS);
  CHECK(reuse == 1);
  CHECK(cuMemPoolGetAttribute(pool, static_cast<CUmemPool_attribute>(0), &value) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(WithStream, "an allocation knows its pool") {
  CUmemoryPool found = nullptr;
  CHECK(cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, allocate(stream)) == CUDA_SUCCESS);
  CHECK(found == pool);
  CHECK(cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, Fixture::allocate(16)) ==
        CUDA_SUCCESS);
  CHECK(found == nullptr);
}

TEST_CASE_METHOD(WithStream,
                 "memory of a pool may be freed as any other, and any other in a stream's order") {
  CHECK(cuMemFree_v2(allocate(stream)) == CUDA_SUCCESS);
  CHECK(get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 0);
  CHECK(cuMemFreeAsync(Fixture::allocate(bytes), stream) == CUDA_SUCCESS);
  CHECK(device.synchronizations == 1);
  CHECK(get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 0);
  CHECK(device.memory.empty());
}

TEST_CASE_METHOD(WithStream, "a program's own pool has its limit, and what outlives it is freed without it") {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.maxSize = 2 * bytes;
  CUmemoryPool own = nullptr;
  REQUIRE(cuMemPoolCreate(&own, &properties) == CUDA_SUCCESS);
  CHECK(cuDeviceSetMemPool(0, own) == CUDA_SUCCESS);
  CUdeviceptr const first = allocate(stream);
  CUdeviceptr const second = allocate(stream);
  CUdeviceptr third = 0;
  CHECK(cuMemAllocAsync(&third, 1, stream) == CUDA_ERROR_OUT_OF_MEMORY);
  CHECK(cuMemFreeAsync(second, stream) == CUDA_SUCCESS);
  CHECK(cuMemAllocAsync(&third, 64, stream) == CUDA_SUCCESS); // instead of what is kept
  CHECK(device.memory.size() == 2);
  CHECK(cuMemAllocFromPoolAsync(&third, 3 * bytes, own, stream) == CUDA_ERROR_OUT_OF_MEMORY);
  CHECK(cuMemFreeAsync(third, stream) == CUDA_SUCCESS);
  CHECK(cuMemPoolDestroy(own) == CUDA_SUCCESS);
  CHECK(device.memory.size() == 1);
  CHECK(cuMemAllocFromPoolAsync(&third, 16, own, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemFreeAsync(first, stream) == CUDA_SUCCESS);
  CHECK(device.memory.empty());
  CUmemoryPool now = nullptr;
  CHECK(cuDeviceGetMemPool(&now, 0) == CUDA_SUCCESS);
  CHECK(now == pool);
  CHECK(cuMemPoolDestroy(pool) == CUDA_ERROR_NOT_PERMITTED);
}

TEST_CASE_METHOD(WithStream, "a device that is reset has nothing of a pool") {
  set(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, ~cuuint64_t{0});
  CHECK(cuMemFreeAsync(allocate(nullptr), nullptr) == CUDA_SUCCESS);
  CHECK(cuCtxDestroy_v2(context) == CUDA_SUCCESS);
  REQUIRE(cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS);
  CHECK(get(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) == 0);
  CUdeviceptr const address = allocate(nullptr);
  CHECK(device.memory.contains(address));
}
