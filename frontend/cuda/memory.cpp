// SPDX-License-Identifier: Apache-2.0
// Device memory: allocation, information.
#include "frontend/cuda/graph/graph_memory.h"
#include "frontend/cuda/mapping_table.h"
#include "frontend/cuda/memory_table.h"

namespace pegasus::driver {
namespace {

constexpr std::size_t row_alignment = 512; // CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT of CUDA devices

CUresult allocate(Channel& channel, Context& context, std::uint64_t bytes, CUdeviceptr& address) {
  Allocation allocation{.bytes = bytes, .context = &context};
  CUresult const status = allocate(channel, device_memory(), PEGASUS_MEMORY_DEVICE, allocation);
  if (status == CUDA_SUCCESS) address = allocation.base;
  return status;
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  return with_context([&](Channel& channel, Context& context) {
    if (address == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    return allocate(channel, context, bytes, *address);
  });
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* address, std::size_t* pitch, std::size_t width, std::size_t height,
                            unsigned element_bytes) {
  return with_context([&](Channel& channel, Context& context) {
    if (address == nullptr || pitch == nullptr || width == 0 || height == 0) return CUDA_ERROR_INVALID_VALUE;
    if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16) return CUDA_ERROR_INVALID_VALUE;
    std::size_t row = 0;
    std::size_t bytes = 0;
    if (__builtin_add_overflow(width, row_alignment - 1, &row)) return CUDA_ERROR_INVALID_VALUE;
    row = row / row_alignment * row_alignment;
    if (__builtin_mul_overflow(row, height, &bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult const status = allocate(channel, context, bytes, *address);
    if (status == CUDA_SUCCESS) *pitch = row;
    return status;
  });
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  return with_device([&](Channel& channel) {
    if (address == 0 || GraphMemory::free(address)) return CUDA_SUCCESS;
    auto const taken = take_freeable(address);
    return taken ? free_device(channel, *taken) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  return with_context([&](Channel& channel, Context&) {
    auto const [status, reply] = ask(channel, pegasus_memory_info_request{});
    if (status == CUDA_SUCCESS && free_bytes != nullptr) *free_bytes = reply.free_bytes;
    if (status == CUDA_SUCCESS && total_bytes != nullptr) *total_bytes = reply.total_bytes;
    return status;
  });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  return with_context([&](Channel& channel, Context&) {
    auto allocation = on_device(address);
    if (allocation && allocation->origin == Allocation::Origin::reserved) {
      allocation = mapped_memory().find(address);
      if (!allocation) return CUDA_ERROR_NOT_FOUND;
    }
    if (!allocation) {
      auto const [status, reply] = ask(channel, pegasus_memory_range_request{address});
      if (status != CUDA_SUCCESS) return status;
      allocation = Allocation{.base = reply.base, .bytes = reply.bytes};
    }
    if (base != nullptr) *base = allocation->base;
    if (bytes != nullptr) *bytes = allocation->bytes;
    return CUDA_SUCCESS;
  });
}
