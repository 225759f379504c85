// SPDX-License-Identifier: Apache-2.0
// Pinned host memory. It is in the host window, where kernels can use it, as long as there is room; else it is the
// program's own, which the accelerator reads and writes only through copies. Sizes, flags and errors are CUDA's.
#include "frontend/cuda/memory_table.h"

#include <cstdlib>
#include <sys/mman.h>

namespace pegasus::driver {
namespace {

using Origin = Allocation::Origin;

constexpr std::size_t page = 4096;
constexpr unsigned allocate_flags =
    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
constexpr unsigned register_flags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                                    CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;

std::uint64_t value_of(void const* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

void* pointer_to(std::uint64_t address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

CUresult allocate_own(Allocation allocation, void*& memory) {
  if (posix_memalign(&memory, page, allocation.bytes) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
  // Remove a stale range: one that was registered and then freed in the C library without
  // cuMemHostUnregister.
  while (auto const stale = host_memory().find(value_of(memory)))
    host_memory().take(stale->base, [](Allocation const&) { return true; });
  allocation.base = value_of(memory);
  allocation.id = next_id();
  host_memory().insert(allocation);
  return CUDA_SUCCESS;
}

// Linux charges a page to who touches it first: that is to be the program. If this cannot be done, it is at its access.
void touch(void* memory, std::size_t bytes) { (void)madvise(memory, bytes, MADV_POPULATE_WRITE); }

CUresult allocate_pinned(void** pointer, std::size_t bytes, unsigned flags) {
  return with_context([&](Channel& channel, Context& context) {
    if (pointer == nullptr || bytes == 0 || (flags & ~allocate_flags) != 0) return CUDA_ERROR_INVALID_VALUE;
    Allocation allocation{.bytes = bytes, .origin = Origin::pinned, .flags = flags, .context = &context};
    if (bytes < channel.host_window_bytes()) {
      CUresult const status = allocate(channel, host_memory(), PEGASUS_MEMORY_MAPPED, allocation);
      if (status == CUDA_SUCCESS) touch(*pointer = pointer_to(allocation.base), bytes);
      if (status != CUDA_ERROR_OUT_OF_MEMORY) return status;
    }
    return allocate_own(allocation, *pointer);
  });
}

CUresult register_range(void* pointer, std::size_t bytes, unsigned flags) {
  return with_context([&](Channel&, Context& context) {
    if (pointer == nullptr || bytes == 0 || (flags & ~register_flags) != 0) return CUDA_ERROR_INVALID_VALUE;
    if ((flags & CU_MEMHOSTREGISTER_IOMEMORY) != 0) return CUDA_ERROR_NOT_PERMITTED;
    std::uintptr_t end = 0;
    if (__builtin_add_overflow(reinterpret_cast<std::uintptr_t>(pointer), bytes, &end))
      return CUDA_ERROR_INVALID_VALUE;
    bool const inserted = host_memory().insert({.base = value_of(pointer),
                                                .bytes = bytes,
                                                .origin = Origin::registered,
                                                .flags = flags,
                                                .context = &context,
                                                .id = next_id()});
    return inserted ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  });
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuMemAllocHost_v2(void** pointer, std::size_t bytes) { return allocate_pinned(pointer, bytes, 0); }

CUresult cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  if (pointer != nullptr && bytes == 0)
    return with_context([&](Channel&, Context&) {
      *pointer = nullptr;
      return CUDA_SUCCESS;
    });
  return allocate_pinned(pointer, bytes, flags);
}

// As in CUDA, waits for the work that may still use the memory.
CUresult cuMemFreeHost(void* pointer) {
  return with_device([&](Channel& channel) {
    if (pointer == nullptr) return CUDA_SUCCESS;
    auto const found = host_memory().find(value_of(pointer));
    if (!found || found->base != value_of(pointer) || found->origin != Origin::pinned)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult const status = ask(channel, pegasus_context_synchronize_request{}).status;
    auto const taken =
        host_memory().take(value_of(pointer), [](Allocation const& a) { return a.origin == Origin::pinned; });
    CUresult const freed = taken ? free_pinned(channel, *taken) : CUDA_SUCCESS;
    return status == CUDA_SUCCESS ? freed : status;
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
    if (taken) return CUDA_SUCCESS;
    return pointer == nullptr || host_memory().find(value_of(pointer))
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  });
}

CUresult cuMemHostGetFlags(unsigned* flags, void* pointer) {
  return with_context([&](Channel&, Context&) {
    auto const found = host_memory().find(value_of(pointer));
    if (flags == nullptr || !found || found->origin != Origin::pinned) return CUDA_ERROR_INVALID_VALUE;
    *flags = found->flags | CU_MEMHOSTALLOC_DEVICEMAP; // where addresses are the same for host and device
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* pointer, unsigned flags) {
  return with_context([&](Channel&, Context&) {
    auto const found = host_memory().find(value_of(pointer));
    if (address == nullptr || flags != 0 || !found) return CUDA_ERROR_INVALID_VALUE;
    if (found->shared) {
      *address = value_of(pointer);
      return CUDA_SUCCESS;
    }
    static bool said = false;
    say_once(
        said,
        found->origin == Origin::registered
            ? "kernels cannot use memory that was registered, only what cuMemHostAlloc (cudaHostAlloc) "
              "or cuMemAllocManaged (cudaMallocManaged) allocated"
            : "there is no room for more host memory that kernels can use; allocate device memory and copy");
    return CUDA_ERROR_NOT_SUPPORTED;
  });
}
