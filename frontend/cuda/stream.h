// SPDX-License-Identifier: Apache-2.0
// Streams. The worker knows the legacy default stream as 0 and each created one by a number of its own; a
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
// A default stream is the current context's; any other names its own.
template <class Body> CUresult with_stream(CUstream handle, Body body) {
  return is_default(handle) ? with_context([&](Channel& channel, Context&) { return body(channel); })
                            : with_device(body);
}
// What the _ptsz variants do with stream 0.
inline CUstream per_thread(CUstream handle) { return handle == nullptr ? CU_STREAM_PER_THREAD : handle; }

// The worker's number of a stream handle. `context`, when asked for: its context, or nullptr for a default
// stream. `captured`, when asked for: what comes next is to become a node of a graph (capture.h); whoever
// does not ask does what cannot be captured, and gets an error.
CUresult resolve_stream(Channel& channel, CUstream handle, std::uint64_t& remote, Context** context = nullptr,
                        bool* captured = nullptr);
CUresult thread_stream(Channel& channel, std::uint64_t& remote); // thread_stream.cpp
CUresult synchronize_stream(Channel& channel, std::uint64_t remote);
void destroy(Channel& channel, Stream& stream);

// Is there a stream that does not wait for the legacy default one? Then a synchronous copy must really wait.
bool unordered_streams_exist();

} // namespace pegasus::driver
