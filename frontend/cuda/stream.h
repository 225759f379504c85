// SPDX-License-Identifier: Apache-2.0
// Streams. The worker knows the legacy default stream as 0 and each created stream by a number it assigns. A
// thread's CU_STREAM_PER_THREAD becomes such a stream at its first use.
#pragma once

#include "frontend/cuda/context.h"

namespace pegasus::driver {

struct Stream {
  using Handle = CUstream;
  static constexpr Kind kind = Kind::stream;

  CUstream handle = nullptr;
  Context* context = nullptr;
  std::uint64_t remote = 0;
  std::uint64_t id = 0;
  unsigned flags = 0;
  int priority = 0;
};

inline bool is_legacy(CUstream handle) { return handle == nullptr || handle == CU_STREAM_LEGACY; }
inline bool is_default(CUstream handle) { return is_legacy(handle) || handle == CU_STREAM_PER_THREAD; }
// A default stream belongs to the current context, any other stream to its own.
template <class Body> CUresult with_stream(CUstream handle, Body body) {
  return is_default(handle) ? with_context([&](Channel& channel, Context&) { return body(channel); })
                            : with_device(body);
}
// The variants for the per-thread default stream (_ptsz, _ptds) treat stream 0 as the per-thread stream.
inline CUstream per_thread(CUstream handle) { return handle == nullptr ? CU_STREAM_PER_THREAD : handle; }

// The worker's number of a stream handle. `context`, if not nullptr, receives the stream's context, or
// nullptr for a default stream. `captured`, if not nullptr, receives whether the next work becomes a node of
// a graph (capture.h); a caller that passes nullptr gets an error if the stream is captured.
CUresult resolve_stream(Channel& channel, CUstream handle, std::uint64_t& remote, Context** context = nullptr,
                        bool* captured = nullptr);
CUresult thread_stream(Channel& channel, std::uint64_t& remote); // thread_stream.cpp
CUresult synchronize_stream(Channel& channel, std::uint64_t remote);
void destroy(Channel& channel, Stream& stream);

// Is there a stream that does not wait for the legacy default stream? If so, a synchronous copy
// must really wait.
bool unordered_streams_exist();

} // namespace pegasus::driver
