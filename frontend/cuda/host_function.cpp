// SPDX-License-Identifier: Apache-2.0
// Host functions in a stream. The calling thread waits for the stream, then calls the function. This keeps
// the order that CUDA promises (after all earlier work, before all later work of the stream); only the
// caller waits longer.
#include "frontend/cuda/graph/capture.h"
#include "frontend/cuda/stream.h"

namespace pegasus::driver {
namespace {

CUresult call_after(CUstream handle, CUstream seen, CUstreamCallback callback, void* data, unsigned flags) {
  return with_context([&](Channel& channel, Context&) {
    if (callback == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    std::uint64_t remote = 0;
    if (CUresult const status = resolve_stream(channel, handle, remote); status != CUDA_SUCCESS)
      return status;
    callback(seen, synchronize_stream(channel, remote), data); // receives the error instead of the caller
    return CUDA_SUCCESS;
  });
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
  return call_after(stream, stream, callback, data, flags);
}
// By hand: the callback receives the caller's handle, not the stream that per_thread() makes of it.
CUresult cuStreamAddCallback_ptsz(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
  return call_after(per_thread(stream), stream, callback, data, flags);
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void* data) {
  return with_context([&](Channel& channel, Context&) {
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::uint64_t remote = 0;
    bool captured = false;
    if (CUresult const status = resolve_stream(channel, handle, remote, nullptr, &captured);
        status != CUDA_SUCCESS)
      return status;
    if (captured) return capture_work(handle, HostWork{function, data});
    if (CUresult const status = synchronize_stream(channel, remote); status != CUDA_SUCCESS) return status;
    function(data);
    return CUDA_SUCCESS;
  });
}
