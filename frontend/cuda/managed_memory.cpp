// SPDX-License-Identifier: Apache-2.0
// Managed memory. It is in the host window, where kernels and the program use the same bytes: nothing migrates, and what
// CUDA's hints ask for is the case already.
#include "frontend/cuda/memory_table.h"
#include "frontend/cuda/stream.h"

namespace pegasus::driver {
namespace {

constexpr unsigned attach_flags = CU_MEM_ATTACH_GLOBAL | CU_MEM_ATTACH_HOST | CU_MEM_ATTACH_SINGLE;

bool is_managed(Allocation const& allocation) {
  return allocation.shared && (allocation.origin == Allocation::Origin::managed ||
                               allocation.origin == Allocation::Origin::variable);
}

// All of [address, address + bytes), in one allocation.
bool is_managed(std::uint64_t address, std::uint64_t bytes) {
  auto const found = device_memory().find(address);
  return found && is_managed(*found) && bytes != 0 && bytes <= found->bytes - (address - found->base);
}

bool is_place(CUmemLocation const& place) {
  switch (place.type) {
  case CU_MEM_LOCATION_TYPE_DEVICE:
    return place.id == 0;
  case CU_MEM_LOCATION_TYPE_HOST:
  case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
    return true;
  case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    return place.id >= 0;
  default:
    return false;
  }
}

bool is_advice(CUmem_advise advice) {
  return advice >= CU_MEM_ADVISE_SET_READ_MOSTLY && advice <= CU_MEM_ADVISE_UNSET_ACCESSED_BY;
}
// The others ignore their place.
bool names_place(CUmem_advise advice) {
  return advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION || advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
         advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
  return with_context([&](Channel& channel, Context& context) {
    bool const attached = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST;
    if (address == nullptr || bytes == 0 || !attached) return CUDA_ERROR_INVALID_VALUE;
    if (channel.host_window_bytes() == 0) {
      static bool said = false;
      say_once(said, "managed memory is not available here; use cuMemAlloc (cudaMalloc) and copies");
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    Allocation allocation{.bytes = bytes, .origin = Allocation::Origin::managed, .context = &context};
    CUresult const status = allocate(channel, device_memory(), PEGASUS_MEMORY_MANAGED, allocation);
    if (status == CUDA_SUCCESS) *address = allocation.base;
    return status;
  });
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, std::size_t bytes, CUmemLocation place, unsigned flags,
                               CUstream handle) {
  return with_stream(handle, [&](Channel& channel) {
    std::uint64_t stream = 0;
    if (CUresult const status = resolve_stream(channel, handle, stream); status != CUDA_SUCCESS)
      return status;
    if (!is_place(place)) return CUDA_ERROR_INVALID_DEVICE;
    return flags == 0 && is_managed(address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemAdvise_v2(CUdeviceptr address, std::size_t bytes, CUmem_advise advice, CUmemLocation place) {
  return with_context([&](Channel&, Context&) {
    if (!is_advice(advice) || !is_managed(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
    return !names_place(advice) || is_place(place) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
  });
}

// `bytes`: 0, or the whole allocation.
CUresult cuStreamAttachMemAsync(CUstream handle, CUdeviceptr address, std::size_t bytes, unsigned flags) {
  return with_stream(handle, [&](Channel& channel) {
    std::uint64_t stream = 0;
    if (CUresult const status = resolve_stream(channel, handle, stream); status != CUDA_SUCCESS)
      return status;
    auto const found = device_memory().find(address);
    bool const whole = found && found->base == address && (bytes == 0 || bytes == found->bytes);
    bool const one_flag = (flags & attach_flags) == flags && (flags & (flags - 1)) == 0 && flags != 0;
    return whole && is_managed(*found) && one_flag ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}
