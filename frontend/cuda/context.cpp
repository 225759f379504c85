// SPDX-License-Identifier: Apache-2.0
// Creating and destroying contexts, the primary one included.
#include "frontend/cuda/context.h"

#include "frontend/cuda/array.h"
#include "frontend/cuda/event.h"
#include "frontend/cuda/memory_table.h"
#include "frontend/cuda/module.h"
#include "frontend/cuda/pool.h"
#include "frontend/cuda/stream.h"
#include "frontend/cuda/texture.h"

#include <memory>
#include <mutex>

namespace pegasus::driver {
namespace {

std::mutex contexts_mutex; // creation, destruction, the primary context's reference count
Context* primary = nullptr;
unsigned primary_count = 0;
unsigned primary_flags = 0;

constexpr unsigned context_flags = CU_CTX_FLAGS_MASK;

bool flags_valid(unsigned flags) {
  unsigned const scheduling = flags & CU_CTX_SCHED_MASK; // one of 0, 1, 2, 4
  return (flags & ~context_flags) == 0 && (scheduling & (scheduling - 1)) == 0;
}

Context* make_context(unsigned flags, bool is_primary) {
  auto context = std::make_unique<Context>();
  context->flags = flags;
  context->primary = is_primary;
  context->handle = insert<Context>(context.get());
  return context->handle == nullptr ? nullptr : context.release();
}

CUresult create(CUcontext* handle, unsigned flags, CUdevice device) {
  return with_driver([&](Channel&) {
    if (handle == nullptr || !flags_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
    if (!valid_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (CUresult const sticky = sticky_error(); sticky != CUDA_SUCCESS) return sticky;
    std::lock_guard lock(contexts_mutex);
    Context* const context = make_context(flags, false);
    if (context == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    if (!push_current(*context)) {
      delete erase<Context>(context->handle);
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = context->handle;
    return CUDA_SUCCESS;
  });
}

bool others_alive(Context const& context) {
  auto const others = handles().select(Kind::context, [&](void const* object) {
    return object != &context && static_cast<Context const*>(object)->active.load();
  });
  return !others.empty();
}

template <class T> void destroy_all_of(Channel& channel, Context const& context) {
  auto const mine = handles().select(
      T::kind, [&](void const* object) { return static_cast<T const*>(object)->context == &context; });
  for (void* const object : mine)
    destroy(channel, *static_cast<T*>(object));
}

// Resets the primary context for `retain` and `release`. The lock is held.
CUresult reset_primary(Channel& channel) {
  if (primary == nullptr || !primary->active.load()) return CUDA_SUCCESS;
  primary->active = false;
  return empty_context(channel, *primary);
}

} // namespace

Context::Context() : id(next_id()) { set_default_limits(); }

// The defaults from CUDA's documentation of cuCtxSetLimit and from the devices in use.
void Context::set_default_limits() {
  limits[CU_LIMIT_STACK_SIZE] = 1024;
  limits[CU_LIMIT_PRINTF_FIFO_SIZE] = 1u << 20;
  limits[CU_LIMIT_MALLOC_HEAP_SIZE] = 8u << 20;
  limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
}

CUresult empty_context(Channel& channel, Context& context) {
  bool const last = !others_alive(context);
  destroy_all_of<Module>(channel, context);
  destroy_all_of<Event>(channel, context);
  destroy_all_of<Stream>(channel, context);
  textures().destroy_all_of(channel, context);
  destroy_all_of<MipmappedArray>(channel, context);
  destroy_all_of<Array>(channel, context);
  free_all_of(channel, context);
  if (!last) return CUDA_SUCCESS;
  while (device_memory().take_any([](Allocation const&) { return true; })) // variables of libraries
    ;
  pools().forget_all();
  return reset_device(channel);
}

} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuCtxCreate(CUcontext* handle, unsigned flags, CUdevice device) {
  return create(handle, flags, device);
}
CUresult cuCtxCreate_v2(CUcontext* handle, unsigned flags, CUdevice device) {
  return create(handle, flags, device);
}

CUresult cuCtxCreate_v3(CUcontext* handle, CUexecAffinityParam*, int count, unsigned flags, CUdevice device) {
  return count == 0 ? create(handle, flags, device) : CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
}

CUresult cuCtxCreate_v4(CUcontext* handle, CUctxCreateParams* parameters, unsigned flags, CUdevice device) {
  if (parameters != nullptr && parameters->numExecAffinityParams != 0)
    return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  if (parameters != nullptr && parameters->cigParams != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  return create(handle, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext handle) {
  return with_driver([&](Channel& channel) {
    std::lock_guard lock(contexts_mutex);
    Context* const context = find<Context>(handle);
    if (context == nullptr || context->primary) return CUDA_ERROR_INVALID_CONTEXT;
    CUresult const status = empty_context(channel, *context);
    erase<Context>(handle);
    if (top_of_stack() == handle) pop_current(); // "removed from the top of the calling thread's stack"
    delete context;
    return status;
  });
}

CUresult cuCtxDestroy(CUcontext handle) { return cuCtxDestroy_v2(handle); }

CUresult cuCtxAttach(CUcontext* handle, unsigned flags) {
  return with_context([&](Channel&, Context& context) {
    if (handle == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    ++context.uses;
    *handle = context.handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxDetach(CUcontext handle) {
  bool last = false;
  CUresult const status = with_context([&](Channel&, Context& context) {
    if (context.handle != handle || (context.primary && context.uses == 1)) return CUDA_ERROR_INVALID_CONTEXT;
    last = --context.uses == 0;
    return CUDA_SUCCESS;
  });
  return last ? cuCtxDestroy_v2(handle) : status;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* handle, CUdevice device) {
  return with_driver([&](Channel&) {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!valid_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    std::lock_guard lock(contexts_mutex);
    if (primary == nullptr) primary = make_context(primary_flags, true);
    if (primary == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    if (!primary->active.load()) {
      primary->flags = primary_flags;
      primary->set_default_limits();
      primary->active = true;
    }
    ++primary_count;
    *handle = primary->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return with_driver([&](Channel& channel) {
    if (!valid_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    std::lock_guard lock(contexts_mutex);
    if (primary_count == 0) return CUDA_ERROR_INVALID_CONTEXT;
    return --primary_count == 0 ? reset_primary(channel) : CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return with_driver([&](Channel& channel) {
    if (!valid_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    std::lock_guard lock(contexts_mutex);
    return reset_primary(channel);
  });
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  return with_driver([&](Channel&) {
    if (!valid_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!flags_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
    std::lock_guard lock(contexts_mutex);
    primary_flags = flags;
    if (primary != nullptr) primary->flags = flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return with_driver([&](Channel&) {
    if (!valid_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::lock_guard lock(contexts_mutex);
    *flags = primary_flags;
    *active = primary != nullptr && primary->active.load() ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return cuDevicePrimaryCtxRelease_v2(device); }
CUresult cuDevicePrimaryCtxReset(CUdevice device) { return cuDevicePrimaryCtxReset_v2(device); }
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}
