// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation, memory pools and their attributes.
#include "frontend/cuda/graph/capture.h"
#include "frontend/cuda/graph/graph_memory.h"
#include "frontend/cuda/pool.h"
#include "frontend/cuda/stream.h"

#include <cstring>

namespace pegasus::driver {
namespace {

// `choose(Pools&)`: the pool, or nullptr.
template <class Choose> CUresult get_pool(CUmemoryPool* handle, CUdevice device, Choose choose) {
  return with_driver([&](Channel&) {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!valid_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    Pool const* const pool = choose(pools());
    if (pool == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    *handle = pool->handle;
    return CUDA_SUCCESS;
  });
}

template <class Choose>
CUresult allocate_async(CUdeviceptr* address, std::size_t bytes, CUstream handle, Choose choose) {
  return with_context([&](Channel& channel, Context& context) {
    std::uint64_t stream = 0;
    bool captured = false;
    if (CUresult const status = resolve_stream(channel, handle, stream, nullptr, &captured);
        status != CUDA_SUCCESS)
      return status;
    Pool* const pool = choose();
    if (address == nullptr || bytes == 0 || pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (captured) return capture_allocation(channel, context, handle, bytes, *address);
    Allocation allocation{.bytes = bytes, .context = &context};
    CUresult const status = pools().allocate(channel, *pool, stream, allocation);
    if (status == CUDA_SUCCESS) *address = allocation.base;
    return status;
  });
}

bool is_attribute(CUmemPool_attribute number) {
  return number >= CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES && number <= CU_MEMPOOL_ATTR_USED_MEM_HIGH;
}
// The reuse flags are of type int, the rest of type cuuint64_t. Little-endian: an int is a number's first half.
std::size_t bytes_of(CUmemPool_attribute number) {
  return number <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES ? sizeof(int) : sizeof(cuuint64_t);
}

cuuint64_t get(Pool const& pool, CUmemPool_attribute number) {
  switch (number) {
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    return pool.memory.reserved();
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    return pool.memory.reserved_high();
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    return pool.memory.used();
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    return pool.memory.used_high();
  default:
    return pool.settings[number];
  }
}

// A high watermark can be set to zero, "which resets it".
CUresult set(Pool& pool, CUmemPool_attribute number, cuuint64_t value) {
  bool const is_setting = number <= CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
  if (is_setting)
    pool.settings[number] = value;
  else if (number == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH && value == 0)
    pool.memory.reset_reserved_high();
  else if (number == CU_MEMPOOL_ATTR_USED_MEM_HIGH && value == 0)
    pool.memory.reset_used_high();
  else
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

template <class Body>
CUresult with_attribute(CUmemoryPool handle, CUmemPool_attribute number, void const* value, Body body) {
  return with_driver([&](Channel&) {
    if (value == nullptr || !is_attribute(number)) return CUDA_ERROR_INVALID_VALUE;
    return pools().with(handle, body);
  });
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream) {
  return allocate_async(address, bytes, stream, [] { return pools().current(); });
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
  return allocate_async(address, bytes, stream, [pool] { return find<Pool>(pool); });
}

// Memory that is no pool's is freed after a wait. That is legal; the caller can only notice the time.
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle) {
  return with_stream(handle, [&](Channel& channel) {
    std::uint64_t stream = 0;
    bool captured = false;
    if (CUresult const status = resolve_stream(channel, handle, stream, nullptr, &captured);
        status != CUDA_SUCCESS)
      return status;
    if (address == 0) return CUDA_SUCCESS;
    if (captured) return capture_free(handle, address);
    if (GraphMemory::free(address)) return CUDA_SUCCESS;
    auto const taken = take_freeable(address);
    if (!taken) return CUDA_ERROR_INVALID_VALUE;
    if (pools().keep(*taken, stream)) return CUDA_SUCCESS;
    CUresult const waited = synchronize_stream(channel, stream);
    CUresult const freed = free_device(channel, *taken);
    return waited == CUDA_SUCCESS ? freed : waited;
  });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return get_pool(pool, device, [](Pools& all) { return all.default_pool(); });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return get_pool(pool, device, [](Pools& all) { return all.current(); });
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return with_driver([&](Channel&) {
    if (!valid_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (find<Pool>(pool) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    pools().choose(pool);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolCreate(CUmemoryPool* handle, CUmemPoolProps const* properties) {
  return with_driver([&](Channel&) {
    if (handle == nullptr || properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !valid_device(properties->location.id))
      return CUDA_ERROR_INVALID_VALUE;
    if (properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE) return CUDA_ERROR_NOT_SUPPORTED;
    Pool const* const pool = pools().make(properties->maxSize);
    if (pool == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    *handle = pool->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool handle) {
  return with_driver([&](Channel& channel) {
    Pool* const pool = find<Pool>(handle);
    if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (pool->is_default) return CUDA_ERROR_NOT_PERMITTED;
    pools().destroy(channel, *pool);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolTrimTo(CUmemoryPool handle, std::size_t reserved) {
  return with_driver([&](Channel& channel) {
    Pool* const pool = find<Pool>(handle);
    if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
    pools().trim(channel, *pool, reserved);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute number, void* value) {
  return with_attribute(handle, number, value, [&](Pool& pool) {
    cuuint64_t wanted = 0;
    std::memcpy(&wanted, value, bytes_of(number));
    return set(pool, number, wanted);
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute number, void* value) {
  return with_attribute(handle, number, value, [&](Pool const& pool) {
    cuuint64_t const known = get(pool, number);
    std::memcpy(value, &known, bytes_of(number));
    return CUDA_SUCCESS;
  });
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
