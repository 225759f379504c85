// SPDX-License-Identifier: Apache-2.0
// Pinned host memory. The memory is not really pinned: the accelerator reads host memory only through copies.
// Sizes, flags and errors are CUDA's.
#include "frontend/cuda/memory_table.h"

#include <cstdlib>

namespace pegasus::driver {
namespace {

using Origin = Allocation::Origin;

constexpr std::size_t page = 4096;
constexpr unsigned allocate_flags =
    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
constexpr unsigned register_flags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                                    CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;

std::uint64_t value_of(void const* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

CUresult allocate(void** pointer, std::size_t bytes, unsigned flags) {
  return with_context([&](Channel&, Context& context) {
    if (pointer == nullptr || bytes == 0 || (flags & ~allocate_flags) != 0) return CUDA_ERROR_INVALID_VALUE;
    void* memory = nullptr;
    if (posix_memalign(&memory, page, bytes) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
    // Remove a stale range: one that was registered and then freed in the C library without
    // cuMemHostUnregister.
    while (auto const stale = host_memory().find(value_of(memory)))
      host_memory().take(stale->base, [](Allocation const&) { return true; });
    host_memory().insert({value_of(memory), bytes, Origin::pinned, flags, &context, nullptr, next_id()});
    *pointer = memory;
    return CUDA_SUCCESS;
  });
}

CUresult register_range(void* pointer, std::size_t bytes, unsigned flags) {
  return with_context([&](Channel&, Context& context) {
    if (pointer == nullptr || bytes == 0 || (flags & ~register_flags) != 0) return CUDA_ERROR_INVALID_VALUE;
    if ((flags & CU_MEMHOSTREGISTER_IOMEMORY) != 0) return CUDA_ERROR_NOT_PERMITTED;
    std::uintptr_t end = 0;
    if (__builtin_add_overflow(reinterpret_cast<std::uintptr_t>(pointer), bytes, &end))
      return CUDA_ERROR_INVALID_VALUE;
    bool const inserted = host_memory().insert(
        {value_of(pointer), bytes, Origin::registered, flags, &context, nullptr, next_id()});
    return inserted ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  });
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuMemAllocHost_v2(void** pointer, std::size_t bytes) { return allocate(pointer, bytes, 0); }

CUresult cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return allocate(pointer, bytes, flags);
}

// As in CUDA, waits for the work that may still use the memory.
CUresult cuMemFreeHost(void* pointer) {
  return with_device([&](Channel& channel) {
    auto const found = host_memory().find(value_of(pointer));
    if (!found || found->base != value_of(pointer) || found->origin != Origin::pinned)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult const status = ask(channel, pegasus_context_synchronize_request{}).status;
    auto const taken =
        host_memory().take(value_of(pointer), [](Allocation const& a) { return a.origin == Origin::pinned; });
    if (taken) std::free(pointer);
    return status;
  });
}

CUresult cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned flags) {
  return register_range(pointer, bytes, flags);
}
CUresult cuMemHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return register_range(pointer, bytes, flags);
}

CUresult cuMemHostUnregister(void* pointer) {
  return with_context([&](Channel&, Context&) {
    auto const taken = host_memory().take(value_of(pointer),
                                          [](Allocation const& a) { return a.origin == Origin::registered; });
    return taken ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  });
}

CUresult cuMemHostGetFlags(unsigned* flags, void* pointer) {
  return with_context([&](Channel&, Context&) {
    auto const found = host_memory().find(value_of(pointer));
    if (flags == nullptr || !found || found->origin != Origin::pinned) return CUDA_ERROR_INVALID_VALUE;
    *flags = found->flags;
    return CUDA_SUCCESS;
  });
}

// CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY is 0: kernels cannot access host memory across the call buffer.
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* pointer, unsigned flags) {
  return with_context([&](Channel&, Context&) {
    if (address == nullptr || flags != 0 || !host_memory().find(value_of(pointer)))
      return CUDA_ERROR_INVALID_VALUE;
    static bool said = false;
    say_once(said, "host memory cannot be mapped into this accelerator; allocate device memory and copy");
    return CUDA_ERROR_NOT_SUPPORTED;
  });
}
