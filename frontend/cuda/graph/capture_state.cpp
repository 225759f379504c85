// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/graph/capture_state.h"

#include "frontend/cuda/stream.h"

#include <algorithm>
#include <utility>

namespace pegasus::driver {

constinit std::atomic<unsigned> captures_under_way = 0;

namespace {

thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
thread_local char this_thread; // its address is the thread
constinit std::mutex mutex;

} // namespace

std::mutex& captures_mutex() { return mutex; }

// Never destroyed: exit handlers may still use streams.
std::vector<std::unique_ptr<Capture>>& captures() {
  static auto& all = *new std::vector<std::unique_ptr<Capture>>;
  return all;
}

void const* this_thread_key() { return &this_thread; }

void const* key_of(CUstream stream) { return stream == CU_STREAM_PER_THREAD ? this_thread_key() : stream; }

CapturedStream* find_stream(Capture& capture, CUstream stream) {
  auto const found = std::find_if(capture.streams.begin(), capture.streams.end(),
                                  [key = key_of(stream)](auto const& s) { return s.key == key; });
  return found == capture.streams.end() ? nullptr : &*found;
}

Capture* find_capture(CUstream stream) {
  for (auto const& capture : captures())
    if (find_stream(*capture, stream) != nullptr) return capture.get();
  return nullptr;
}

Capture* find_capture(std::uint64_t id) {
  for (auto const& capture : captures())
    if (capture->id == id) return capture.get();
  return nullptr;
}

void remove(Capture const* capture) {
  auto const same = [&](auto const& c) { return c.get() == capture; };
  captures().erase(std::find_if(captures().begin(), captures().end(), same));
  captures_under_way.fetch_sub(1, std::memory_order_relaxed);
}

CUresult invalidate(Capture& capture, CUresult why) {
  capture.valid = false;
  return why;
}

bool has_blocking_stream(Capture const& capture) {
  return std::any_of(capture.streams.begin(), capture.streams.end(), [](CapturedStream const& s) {
    auto const* const stream = find<Stream>(static_cast<CUstream>(const_cast<void*>(s.key)));
    return stream == nullptr || (stream->flags & CU_STREAM_NON_BLOCKING) == 0;
  });
}

bool forbids_unsafe_calls(Capture const& capture) {
  bool const ours = capture.thread == this_thread_key() && capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED;
  if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
  bool const everybodys = capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
  return ours || (everybodys && thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
}

void add_new(CapturedNodes& nodes, CapturedNodes const& more) {
  for (CUgraphNode const node : more)
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
}

CUstreamCaptureMode exchange_capture_mode(CUstreamCaptureMode mode) {
  return std::exchange(thread_mode, mode);
}

} // namespace pegasus::driver
