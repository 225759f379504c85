// SPDX-License-Identifier: Apache-2.0
// CUDA Runtime API, "Stream Ordered Memory Allocator". Pools are the driver's: attributes and properties have
// the same numbers and layout.
#include "frontend/cudart/context.h"

using namespace pegasus::cudart;

namespace {

static_assert(sizeof(cudaMemPoolProps) == sizeof(CUmemPoolProps));
static_assert(sizeof(cudaMemAccessDesc) == sizeof(CUmemAccessDesc));
static_assert(sizeof(cudaMemLocation) == sizeof(CUmemLocation));

// `call(Driver const&, CUdevice)`.
template <class Call> cudaError_t with_device(int ordinal, Call&& call) {
  return with_driver([&](Driver const& driver) {
    CUdevice device = 0;
    if (cudaError_t const error = device_handle(driver, ordinal, device); error != cudaSuccess) return error;
    return from_driver(call(driver, device));
  });
}

} // namespace

PEGASUS_API cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  if (pointer == nullptr) return finish(cudaErrorInvalidValue);
  *pointer = nullptr;
  return with_context([&](Driver const& driver) {
    CUdeviceptr address = 0;
    CUresult const result = bytes == 0 ? CUDA_SUCCESS : driver.cuMemAllocAsync(&address, bytes, stream);
    if (result == CUDA_SUCCESS) *pointer = pointer_to(address);
    return result;
  });
}

PEGASUS_API cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                                cudaStream_t stream) {
  if (pointer == nullptr) return finish(cudaErrorInvalidValue);
  *pointer = nullptr;
  return with_context([&](Driver const& driver) {
    CUdeviceptr address = 0;
    CUresult const result =
        bytes == 0 ? CUDA_SUCCESS : driver.cuMemAllocFromPoolAsync(&address, bytes, pool, stream);
    if (result == CUDA_SUCCESS) *pointer = pointer_to(address);
    return result;
  });
}

PEGASUS_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return with_context([&](Driver const& driver) {
    return pointer == nullptr ? CUDA_SUCCESS : driver.cuMemFreeAsync(device_address(pointer), stream);
  });
}

PEGASUS_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (pool == nullptr) return finish(cudaErrorInvalidValue);
  return with_device(device, [&](Driver const& driver, CUdevice handle) {
    return driver.cuDeviceGetDefaultMemPool(pool, handle);
  });
}

PEGASUS_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  if (pool == nullptr) return finish(cudaErrorInvalidValue);
  return with_device(
      device, [&](Driver const& driver, CUdevice handle) { return driver.cuDeviceGetMemPool(pool, handle); });
}

PEGASUS_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return with_device(
      device, [&](Driver const& driver, CUdevice handle) { return driver.cuDeviceSetMemPool(handle, pool); });
}

PEGASUS_API cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, cudaMemPoolProps const* properties) {
  if (pool == nullptr || properties == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    return driver.cuMemPoolCreate(pool, reinterpret_cast<CUmemPoolProps const*>(properties));
  });
}

PEGASUS_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return with_driver([&](Driver const& driver) { return driver.cuMemPoolDestroy(pool); });
}

PEGASUS_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t keep) {
  return with_driver([&](Driver const& driver) { return driver.cuMemPoolTrimTo(pool, keep); });
}

PEGASUS_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_driver([&](Driver const& driver) {
    return driver.cuMemPoolSetAttribute(pool, static_cast<CUmemPool_attribute>(attribute), value);
  });
}

PEGASUS_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_driver([&](Driver const& driver) {
    return driver.cuMemPoolGetAttribute(pool, static_cast<CUmemPool_attribute>(attribute), value);
  });
}

PEGASUS_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, cudaMemAccessDesc const* list,
                                             std::size_t count) {
  return with_driver([&](Driver const& driver) {
    return driver.cuMemPoolSetAccess(pool, reinterpret_cast<CUmemAccessDesc const*>(list), count);
  });
}

PEGASUS_API cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                             cudaMemLocation* where) {
  if (flags == nullptr || where == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    CUmemAccess_flags access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    CUresult const result = driver.cuMemPoolGetAccess(&access, pool, reinterpret_cast<CUmemLocation*>(where));
    *flags = static_cast<cudaMemAccessFlags>(access);
    return result;
  });
}
