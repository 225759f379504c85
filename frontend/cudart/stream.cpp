// SPDX-License-Identifier: Apache-2.0
// CUDA Runtime API, "Stream Management". cudaStream_t is CUstream, including the special handles
// (0, cudaStreamLegacy, cudaStreamPerThread).
#include "frontend/cudart/context.h"

#include <cstdlib>

using namespace pegasus::cudart;

namespace {

cudaError_t create(cudaStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr) return finish(cudaErrorInvalidValue);
  return with_context(
      [&](Driver const& driver) { return driver.cuStreamCreateWithPriority(stream, flags, priority); });
}

// A callback of the runtime API receives a cudaError_t.
struct Callback {
  cudaStreamCallback_t function;
  void* data;
};

void call_back(CUstream stream, CUresult status, void* data) {
  Callback const callback = *static_cast<Callback*>(data);
  std::free(data);
  callback.function(stream, from_driver(status), callback.data);
}

} // namespace

PEGASUS_API cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return create(stream, cudaStreamDefault, 0);
}

PEGASUS_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create(stream, flags, 0);
}

PEGASUS_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return create(stream, flags, priority);
}

PEGASUS_API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  // The special streams cannot be destroyed. The runtime refuses them itself, before a driver reads handle 0.
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
    return finish(cudaErrorInvalidResourceHandle);
  return with_context([&](Driver const& driver) { return driver.cuStreamDestroy_v2(stream); });
}

PEGASUS_API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return with_context([&](Driver const& driver) { return driver.cuStreamSynchronize(stream); });
}

PEGASUS_API cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return with_context([&](Driver const& driver) { return driver.cuStreamQuery(stream); });
}

PEGASUS_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return with_context([&](Driver const& driver) { return driver.cuStreamWaitEvent(stream, event, flags); });
}

PEGASUS_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data,
                                              unsigned flags) {
  if (function == nullptr || flags != 0) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    auto* const callback = static_cast<Callback*>(std::malloc(sizeof(Callback)));
    if (callback == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    *callback = {function, data};
    CUresult const result = driver.cuStreamAddCallback(stream, call_back, callback, 0);
    if (result != CUDA_SUCCESS) std::free(callback);
    return result;
  });
}

PEGASUS_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (function == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) { return driver.cuLaunchHostFunc(stream, function, data); });
}
