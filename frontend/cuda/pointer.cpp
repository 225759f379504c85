// SPDX-License-Identifier: Apache-2.0
// Information about pointers: CUDA's unified addressing as seen from the host.
#include "frontend/cuda/mapping_table.h"
#include "frontend/cuda/memory_table.h"

#include <cstring>

namespace pegasus::driver {
namespace {

struct Memory {
  Allocation allocation;
  bool on_device = false;
  std::uint64_t address = 0;
};

std::optional<Memory> look_up(std::uint64_t address) {
  if (auto const found = device_memory().find(address)) {
    if (found->origin != Allocation::Origin::reserved) return Memory{*found, true, address};
    auto const mapping = mapped_memory().find(address);
    return mapping ? std::optional(Memory{*mapping, true, address}) : std::nullopt;
  }
  if (auto const found = host_memory().find(address)) return Memory{*found, false, address};
  return std::nullopt;
}

template <class T> CUresult put(void* data, T value) {
  std::memcpy(data, &value, sizeof value);
  return CUDA_SUCCESS;
}

CUresult get(void* data, CUpointer_attribute number, Memory const& memory) {
  Allocation const& a = memory.allocation;
  switch (number) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    return put(data, a.context == nullptr ? nullptr : a.context->handle);
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    return put<unsigned>(data, memory.on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST);
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    return memory.on_device || a.shared ? put<CUdeviceptr>(data, memory.address) : CUDA_ERROR_INVALID_VALUE;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    return !memory.on_device || a.shared ? put<std::uint64_t>(data, memory.address)
                                         : CUDA_ERROR_INVALID_VALUE;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    return put<unsigned>(data, 0);
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    return put<unsigned long long>(data, a.id);
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    return put<unsigned>(data, memory.on_device && a.shared ? 1 : 0);
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    return put<int>(data, 0);
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    return put<unsigned>(data, 0);
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    return put<std::uint64_t>(data, a.base);
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    return put<std::size_t>(data, a.bytes);
  case CU_POINTER_ATTRIBUTE_MAPPED:
    return put<unsigned>(data, 1);
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    return put<std::uint64_t>(data, 0);
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    return put<unsigned>(data, 0);
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    if (a.origin == Allocation::Origin::reserved) return put(data, a.flags);
    return put<unsigned>(data, memory.on_device || a.shared ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                                            : CU_MEM_ACCESS_FLAGS_PROT_NONE);
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    return put(data, a.pool);
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    return put<unsigned>(data, 0);
  default:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
}

// cuPointerGetAttributes returns NULL for attributes that do not apply, instead of failing.
void put_default(void* data, CUpointer_attribute number) {
  switch (number) {
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    (void)put<int>(data, -2);
    return; // CUDA's "no device"
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_MAPPED:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    (void)put<unsigned>(data, 0);
    return;
  default:
    (void)put<std::uint64_t>(data, 0);
  }
}

bool number_known(CUpointer_attribute number) {
  return number >= CU_POINTER_ATTRIBUTE_CONTEXT && number <= CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE;
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute number, CUdeviceptr address) {
  return with_context([&](Channel&, Context&) {
    auto const memory = look_up(address);
    if (data == nullptr || !number_known(number) || !memory) return CUDA_ERROR_INVALID_VALUE;
    return get(data, number, *memory);
  });
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* numbers, void** data,
                                CUdeviceptr address) {
  return with_context([&](Channel&, Context&) {
    if (count == 0 || numbers == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto const memory = look_up(address);
    for (unsigned i = 0; i < count; ++i) {
      if (data[i] == nullptr || !number_known(numbers[i])) return CUDA_ERROR_INVALID_VALUE;
      if (!memory || get(data[i], numbers[i], *memory) != CUDA_SUCCESS) put_default(data[i], numbers[i]);
    }
    return CUDA_SUCCESS;
  });
}

// Every synchronous memory operation is synchronous here: the only attribute that can be set is
// always in force.
CUresult cuPointerSetAttribute(void const* value, CUpointer_attribute number, CUdeviceptr address) {
  return with_context([&](Channel&, Context&) {
    if (value == nullptr || number != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !device_memory().find(address))
      return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
  });
}
