// SPDX-License-Identifier: Apache-2.0
// Context properties and settings; synchronizing with a context.
#include "frontend/cuda/context.h"
#include "frontend/cuda/graph/capture.h"
#include "frontend/cuda/pool.h"

namespace pegasus::driver {
namespace {

// For the functions that take a CUcontext; nullptr is the current one.
template <class Body> CUresult with_context_of(CUcontext handle, Body body) {
  return with_driver([&](Channel& channel) {
    CUresult status = CUDA_SUCCESS;
    Context* const context = context_or_current(handle, status);
    return context == nullptr ? status : body(channel, *context);
  });
}

CUresult synchronize(CUcontext handle) {
  return with_context_of(handle, [](Channel& channel, Context&) {
    if (CUresult const sticky = sticky_error(); sticky != CUDA_SUCCESS) return sticky;
    if (any_capture()) {
      if (CUresult const status = check_synchronizing(); status != CUDA_SUCCESS) return status;
    }
    return pools().wait_and_trim(channel, std::nullopt,
                                 [&] { return ask(channel, pegasus_context_synchronize_request{}).status; });
  });
}

bool limit_known(CUlimit limit) { return limit >= 0 && limit < CU_LIMIT_MAX; }

// No accelerator here has device-side launches or persisting L2 lines.
bool limit_supported(CUlimit limit) {
  return limit == CU_LIMIT_STACK_SIZE || limit == CU_LIMIT_PRINTF_FIFO_SIZE ||
         limit == CU_LIMIT_MALLOC_HEAP_SIZE || limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY ||
         limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE;
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuCtxSynchronize() { return synchronize(nullptr); }
CUresult cuCtxSynchronize_v2(CUcontext handle) { return synchronize(handle); }

CUresult cuCtxGetDevice(CUdevice* device) { return cuCtxGetDevice_v2(device, nullptr); }

CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext handle) {
  auto const answer = [&](Channel&, Context&) {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *device = 0;
    return CUDA_SUCCESS;
  };
  CUresult const status = with_context_of(handle, answer);
  // Clients that look up "_v2" of every name (numba) call this one with the first version's single argument:
  // the second argument is then not a valid context. They mean the current one.
  return status == CUDA_ERROR_INVALID_CONTEXT ? with_context_of(nullptr, answer) : status;
}

CUresult cuCtxGetFlags(unsigned* flags) {
  return with_context_of(nullptr, [&](Channel&, Context& context) {
    if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = context.flags.load();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetFlags(unsigned flags) {
  return with_context_of(nullptr, [&](Channel&, Context& context) {
    if ((flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) != 0) return CUDA_ERROR_INVALID_VALUE;
    context.flags = flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned* version) {
  return with_context_of(handle, [&](Channel&, Context& context) {
    if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *version = context.api_version;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long* id) {
  return with_context_of(handle, [&](Channel&, Context& context) {
    if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *id = context.id;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit) {
  return with_context([&](Channel&, Context& context) {
    if (value == nullptr || !limit_known(limit)) return CUDA_ERROR_INVALID_VALUE;
    if (!limit_supported(limit)) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    *value = context.limits[limit].load();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
  return with_context([&](Channel& channel, Context& context) {
    if (!limit_known(limit)) return CUDA_ERROR_INVALID_VALUE;
    if (!limit_supported(limit)) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE) return CUDA_SUCCESS; // clamped to the device's maximum: 0
    if (limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY) {                    // "a performance hint"
      context.limits[limit] = value < 32 ? 32 : value > 128 ? 128 : value;
      return CUDA_SUCCESS;
    }
    pegasus_context_set_limit_request const request{static_cast<std::uint32_t>(limit), 0, value};
    auto const [status, reply] = ask(channel, request);
    if (status == CUDA_SUCCESS) context.limits[limit] = reply.value;
    return status;
  });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  return with_context([&](Channel&, Context& context) {
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *config = context.cache.load();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return with_context([&](Channel&, Context& context) {
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL)
      return CUDA_ERROR_INVALID_VALUE;
    context.cache = config;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  return with_context([&](Channel&, Context&) {
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return CUDA_SUCCESS;
  });
}

// "On devices with fixed shared memory banks this has no effect": all devices since compute capability 5.0.
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  return with_context([&](Channel&, Context&) {
    if (config < CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE || config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
      return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return with_context([&](Channel& channel, Context&) {
    bool const supported = attribute(channel, CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED) != 0;
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = supported ? -5 : 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxResetPersistingL2Cache() {
  return with_context([](Channel&, Context&) { return CUDA_SUCCESS; });
}

// There is one accelerator: it has no peers.
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return with_context([&](Channel&, Context& context) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    Context const* const other = find<Context>(peer);
    return other == nullptr || other == &context ? CUDA_ERROR_INVALID_CONTEXT
                                                 : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return with_context([&](Channel&, Context&) {
    return find<Context>(peer) == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  });
}

CUresult cuProfilerStart() {
  return with_context([](Channel&, Context&) { return CUDA_SUCCESS; });
}
CUresult cuProfilerStop() {
  return with_context([](Channel&, Context&) { return CUDA_SUCCESS; });
}
