// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/stream.h"

#include "frontend/cuda/graph/capture.h"
#include "frontend/cuda/pool.h"

#include <algorithm>
#include <memory>

namespace pegasus::driver {
namespace {

std::atomic<unsigned> non_blocking_streams = 0;

CUresult create(CUstream* handle, unsigned flags, int priority) {
  return with_context([&](Channel& channel, Context& context) {
    if (handle == nullptr || (flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING)) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    int least = 0;
    int greatest = 0;
    (void)cuCtxGetStreamPriorityRange(&least, &greatest);
    auto stream = std::make_unique<Stream>();
    stream->context = &context;
    stream->flags = flags;
    stream->priority = std::clamp(priority, greatest, least); // "will be clamped", lower numbers go first
    auto const [status, reply] = ask(channel, pegasus_stream_create_request{flags, stream->priority});
    if (status != CUDA_SUCCESS) return status;
    stream->remote = reply.stream;
    stream->id = next_id();
    stream->handle = insert<Stream>(stream.get());
    if (stream->handle == nullptr) {
      (void)channel.post(pegasus_stream_destroy_request{reply.stream});
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if ((flags & CU_STREAM_NON_BLOCKING) != 0) ++non_blocking_streams;
    *handle = stream.release()->handle;
    return CUDA_SUCCESS;
  });
}

// Calls `answer(stream)`; stream is nullptr for a default stream, which belongs to the current context.
template <class Answer> CUresult describe(CUstream handle, void const* out, Answer answer) {
  return with_stream(handle, [&](Channel&) {
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Stream const* const stream = find<Stream>(handle);
    if (stream == nullptr && !is_default(handle)) return CUDA_ERROR_INVALID_HANDLE;
    answer(stream);
    return CUDA_SUCCESS;
  });
}

Context& current() {
  CUresult status = CUDA_SUCCESS;
  return *current_context(status);
}

std::uint64_t id_of(Stream const* stream, CUstream handle) {
  thread_local std::uint64_t const own = next_id();
  if (stream != nullptr) return stream->id;
  return is_legacy(handle) ? current().id : own;
}

} // namespace

CUresult resolve_stream(Channel& channel, CUstream handle, std::uint64_t& remote, Context** context,
                        bool* captured) {
  if (context != nullptr) *context = nullptr;
  remote = 0;
  if (any_capture()) {
    if (CUresult const status = check_against_captures(handle, captured); status != CUDA_SUCCESS)
      return status;
  }
  if (is_legacy(handle)) return CUDA_SUCCESS;
  if (handle == CU_STREAM_PER_THREAD) return thread_stream(channel, remote);
  Stream const* const stream = find<Stream>(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  remote = stream->remote;
  if (context != nullptr) *context = stream->context;
  return CUDA_SUCCESS;
}

CUresult synchronize_stream(Channel& channel, std::uint64_t remote) {
  return ask(channel, pegasus_stream_synchronize_request{remote}).status;
}

void destroy(Channel& channel, Stream& stream) {
  std::unique_ptr<Stream> const mine(erase<Stream>(stream.handle));
  if (!mine) return;
  if (any_capture()) forget_stream(mine->handle);
  if ((mine->flags & CU_STREAM_NON_BLOCKING) != 0) --non_blocking_streams;
  pools().stream_ends(mine->remote);
  (void)channel.post(pegasus_stream_destroy_request{mine->remote});
}

bool unordered_streams_exist() { return non_blocking_streams.load(std::memory_order_relaxed) != 0; }

} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuStreamCreate(CUstream* handle, unsigned flags) { return create(handle, flags, 0); }
CUresult cuStreamCreateWithPriority(CUstream* handle, unsigned flags, int priority) {
  return create(handle, flags, priority);
}

CUresult cuStreamDestroy_v2(CUstream handle) {
  return with_device([&](Channel& channel) {
    Stream* const stream = find<Stream>(handle);
    if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    destroy(channel, *stream);
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamDestroy(CUstream handle) { return cuStreamDestroy_v2(handle); }

CUresult cuStreamQuery(CUstream handle) {
  return with_stream(handle, [&](Channel& channel) {
    pegasus_stream_query_request request{};
    if (CUresult const status = resolve_stream(channel, handle, request.stream); status != CUDA_SUCCESS)
      return status;
    return ask(channel, request).status;
  });
}
CUresult cuStreamSynchronize(CUstream handle) {
  return with_stream(handle, [&](Channel& channel) {
    std::uint64_t remote = 0;
    if (CUresult const status = resolve_stream(channel, handle, remote); status != CUDA_SUCCESS)
      return status;
    return pools().wait_and_trim(channel, remote, [&] { return synchronize_stream(channel, remote); });
  });
}

CUresult cuStreamGetPriority(CUstream handle, int* priority) {
  return describe(handle, priority, [&](Stream const* s) { *priority = s == nullptr ? 0 : s->priority; });
}
CUresult cuStreamGetFlags(CUstream handle, unsigned* flags) {
  return describe(handle, flags, [&](Stream const* s) { *flags = s == nullptr ? 0 : s->flags; });
}
CUresult cuStreamGetId(CUstream handle, unsigned long long* id) {
  return describe(handle, id, [&](Stream const* s) { *id = id_of(s, handle); });
}
CUresult cuStreamGetDevice(CUstream handle, CUdevice* device) {
  return describe(handle, device, [&](Stream const*) { *device = 0; });
}
CUresult cuStreamGetCtx(CUstream handle, CUcontext* out) {
  return describe(handle, out,
                  [&](Stream const* s) { *out = s == nullptr ? current().handle : s->context->handle; });
}
CUresult cuStreamGetCtx_v2(CUstream handle, CUcontext* out, CUgreenCtx* green) {
  CUresult const status = cuStreamGetCtx(handle, out);
  if (status == CUDA_SUCCESS && green != nullptr) *green = nullptr; // no stream comes from a green context
  return status;
}
