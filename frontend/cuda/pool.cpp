// SPDX-License-Identifier: Apache-2.0
// Memory pools and their attributes.
#include "frontend/cuda/pool.h"

#include <cstring>
#include <memory>
#include <mutex>

namespace pegasus::driver {
namespace {

std::mutex pools_mutex;
Pool* default_pool = nullptr;
CUmemoryPool device_pool = nullptr; // set by cuDeviceSetMemPool; nullptr: the default pool

Pool* make_pool(bool is_default) {
  auto pool = std::make_unique<Pool>();
  pool->is_default = is_default;
  for (auto const reuse :
       {CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
        CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES})
    pool->attributes[reuse] = 1; // "default enabled"
  pool->handle = insert<Pool>(pool.get());
  return pool->handle == nullptr ? nullptr : pool.release();
}

CUresult get_default(CUmemoryPool* handle, CUdevice device) {
  return with_driver([&](Channel&) {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!valid_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    std::lock_guard lock(pools_mutex);
    if (default_pool == nullptr) default_pool = make_pool(true);
    if (default_pool == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    *handle = default_pool->handle;
    return CUDA_SUCCESS;
  });
}

bool is_flag(CUmemPool_attribute number) {
  return number <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

// Value type int for the reuse flags, cuuint64_t for the rest.
CUresult with_attribute(CUmemoryPool handle, CUmemPool_attribute number, void* value, bool set) {
  return with_driver([&](Channel&) {
    Pool* const pool = find<Pool>(handle);
    bool const valid =
        number >= CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES && number <= CU_MEMPOOL_ATTR_USED_MEM_HIGH;
    if (pool == nullptr || value == nullptr || !valid) return CUDA_ERROR_INVALID_VALUE;
    std::size_t const bytes = is_flag(number) ? sizeof(int) : sizeof(cuuint64_t);
    cuuint64_t number_value = 0; // little-endian: the int is its first half
    if (set) {
      std::memcpy(&number_value, value, bytes);
      bool const settable = number <= CU_MEMPOOL_ATTR_RELEASE_THRESHOLD || number_value == 0;
      if (!settable) return CUDA_ERROR_INVALID_VALUE;
      pool->attributes[number] = number_value;
    } else {
      number_value = pool->attributes[number];
      std::memcpy(value, &number_value, bytes);
    }
    return CUDA_SUCCESS;
  });
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) { return get_default(pool, device); }

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  CUresult const status = get_default(pool, device);
  if (status != CUDA_SUCCESS) return status;
  std::lock_guard lock(pools_mutex);
  if (find<Pool>(device_pool) != nullptr) *pool = device_pool;
  return CUDA_SUCCESS;
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return with_driver([&](Channel&) {
    if (!valid_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (find<Pool>(pool) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::lock_guard lock(pools_mutex);
    device_pool = pool;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolCreate(CUmemoryPool* handle, CUmemPoolProps const* properties) {
  return with_driver([&](Channel&) {
    if (handle == nullptr || properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !valid_device(properties->location.id))
      return CUDA_ERROR_INVALID_VALUE;
    if (properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE) return CUDA_ERROR_NOT_SUPPORTED;
    Pool const* const pool = make_pool(false);
    if (pool == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    *handle = pool->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool handle) {
  return with_driver([&](Channel&) {
    Pool const* const pool = find<Pool>(handle);
    if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (pool->is_default) return CUDA_ERROR_NOT_PERMITTED;
    delete erase<Pool>(handle);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolTrimTo(CUmemoryPool handle, std::size_t) {
  return with_driver(
      [&](Channel&) { return find<Pool>(handle) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute number, void* value) {
  return with_attribute(pool, number, value, true);
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute number, void* value) {
  return with_attribute(pool, number, value, false);
}

// The device's own access is the only one, and cannot be revoked.
CUresult cuMemPoolSetAccess(CUmemoryPool handle, CUmemAccessDesc const* accesses, std::size_t count) {
  return with_driver([&](Channel&) {
    if (find<Pool>(handle) == nullptr || (accesses == nullptr && count != 0)) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < count; ++i) {
      if (accesses[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
      if (!valid_device(accesses[i].location.id)) return CUDA_ERROR_INVALID_DEVICE;
      if (accesses[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool handle, CUmemLocation* location) {
  return with_driver([&](Channel&) {
    if (flags == nullptr || location == nullptr || find<Pool>(handle) == nullptr)
      return CUDA_ERROR_INVALID_VALUE;
    bool const own = location->type == CU_MEM_LOCATION_TYPE_DEVICE && valid_device(location->id);
    *flags = own ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
  });
}
