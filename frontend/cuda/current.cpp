// SPDX-License-Identifier: Apache-2.0
// The per-thread stack of current contexts. Plain data: it must work in other objects' thread-exit
// destructors.
#include "frontend/cuda/context.h"

namespace pegasus::driver {
namespace {

struct Entry {
  CUcontext handle;
  std::uint64_t id; // distinguishes a destroyed context from a later one in the same cell
};

constexpr unsigned max_depth = 64; // CUDA documents no limit; programs nest two or three
thread_local Entry stack[max_depth];
thread_local unsigned depth = 0;

} // namespace

Context* current_context(CUresult& status) {
  if (depth == 0) {
    status = CUDA_ERROR_INVALID_CONTEXT;
    return nullptr;
  }
  Entry const& top = stack[depth - 1];
  auto* const context = find<Context>(top.handle);
  if (context == nullptr || context->id != top.id || !context->active.load(std::memory_order_acquire)) {
    status = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return nullptr;
  }
  return context;
}

bool push_current(Context& context) {
  if (depth == max_depth) return false;
  stack[depth++] = {context.handle, context.id};
  return true;
}

void pop_current() {
  if (depth > 0) --depth;
}

void replace_current(Context* context) {
  pop_current();
  if (context != nullptr) (void)push_current(*context);
}

CUcontext top_of_stack() { return depth == 0 ? nullptr : stack[depth - 1].handle; }

Context* context_or_current(CUcontext handle, CUresult& status) {
  if (handle == nullptr) return current_context(status);
  auto* const context = find<Context>(handle);
  if (context == nullptr || !context->active.load(std::memory_order_acquire)) {
    status = context == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return nullptr;
  }
  return context;
}

} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuCtxPushCurrent_v2(CUcontext handle) {
  return with_driver([&](Channel&) {
    CUresult status = CUDA_SUCCESS;
    Context* const context = handle == nullptr ? nullptr : context_or_current(handle, status);
    if (context == nullptr) return status == CUDA_SUCCESS ? CUDA_ERROR_INVALID_CONTEXT : status;
    return push_current(*context) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  });
}

CUresult cuCtxPopCurrent_v2(CUcontext* handle) {
  return with_driver([&](Channel&) {
    CUcontext const top = top_of_stack();
    if (top == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (handle != nullptr) *handle = top;
    pop_current();
    return CUDA_SUCCESS;
  });
}

// With nullptr, pops the top, if there is one.
CUresult cuCtxSetCurrent(CUcontext handle) {
  return with_driver([&](Channel&) {
    CUresult status = CUDA_SUCCESS;
    Context* const context = handle == nullptr ? nullptr : context_or_current(handle, status);
    if (status == CUDA_SUCCESS) replace_current(context);
    return status;
  });
}

CUresult cuCtxGetCurrent(CUcontext* handle) {
  return with_driver([&](Channel&) {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *handle = top_of_stack();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPushCurrent(CUcontext handle) { return cuCtxPushCurrent_v2(handle); }
CUresult cuCtxPopCurrent(CUcontext* handle) { return cuCtxPopCurrent_v2(handle); }
