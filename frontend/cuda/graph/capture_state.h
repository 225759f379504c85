// SPDX-License-Identifier: Apache-2.0
// The captures in progress. Users of these declarations hold the one lock of all captures.
#pragma once

#include "frontend/cuda/graph/capture.h"

#include <mutex>

namespace pegasus::driver {

using CapturedNodes = std::vector<CUgraphNode>; // handles: a program may destroy nodes while it captures

struct CapturedStream {
  void const* key;
  CapturedNodes after; // what the stream's next work waits for
};

struct Capture {
  std::uint64_t id = 0;
  CUgraph graph = nullptr;
  bool owned = true; // until cuStreamEndCapture gives the graph to the program
  bool valid = true;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  void const* thread = nullptr;
  std::vector<CapturedStream> streams; // the first one is where it began

  Capture() = default;
  Capture(Capture const&) = delete;
  Capture& operator=(Capture const&) = delete;
  ~Capture() {
    if (owned) delete find<Graph>(graph);
  }
};

std::mutex& captures_mutex();
std::vector<std::unique_ptr<Capture>>& captures(); // few

Capture* find_capture(CUstream stream);
Capture* find_capture(std::uint64_t id);
CapturedStream* find_stream(Capture& capture, CUstream stream);
void const* key_of(CUstream stream);
void const* this_thread_key();
void remove(Capture const* capture);

// Marks the capture invalid and returns `why`.
CUresult invalidate(Capture& capture, CUresult why);
// Is there a stream in it that synchronizes with the legacy default stream?
bool has_blocking_stream(Capture const& capture);
// For this thread, as described for cuThreadExchangeStreamCaptureMode.
bool forbids_unsafe_calls(Capture const& capture);
// Adds the nodes of `more` that are not in `nodes` yet.
void add_new(CapturedNodes& nodes, CapturedNodes const& more);

// Takes the lock and calls `use(Capture&, CapturedStream&)` on a valid capture.
template <class Use> CUresult with_capture(CUstream stream, Use use) {
  std::lock_guard lock(captures_mutex());
  Capture* const capture = find_capture(stream);
  if (capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  if (!capture->valid || find<Graph>(capture->graph) == nullptr)
    return invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  return use(*capture, *find_stream(*capture, stream));
}

} // namespace pegasus::driver
