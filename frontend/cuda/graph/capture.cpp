// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/graph/capture.h"

#include "frontend/cuda/graph/capture_state.h"
#include "frontend/cuda/graph/graph_memory.h"
#include "frontend/cuda/stream.h"

namespace pegasus::driver {

namespace {

// `make(Graph&, dependencies)` returns the new node.
template <class Make> CUresult append(CUstream stream, Make make) {
  return with_capture(stream, [&](Capture& capture, CapturedStream& captured) {
    Graph& graph = *find<Graph>(capture.graph);
    std::vector<Node*> dependencies;
    if (find_nodes(graph, captured.after.data(), captured.after.size(), dependencies) != CUDA_SUCCESS)
      return invalidate(capture, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED); // a node was destroyed
    Node const* const node = make(graph, dependencies);
    if (node == nullptr) return invalidate(capture, CUDA_ERROR_OUT_OF_MEMORY);
    captured.after.assign(1, node->handle);
    return CUDA_SUCCESS;
  });
}

} // namespace

CUresult check_against_captures(CUstream stream, bool* captured) {
  std::lock_guard lock(captures_mutex());
  if (is_legacy(stream)) {
    CUresult status = CUDA_SUCCESS;
    for (auto const& capture : captures())
      if (capture->valid && has_blocking_stream(*capture))
        status = invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    return status;
  }
  Capture* const capture = find_capture(stream);
  if (capture == nullptr) return CUDA_SUCCESS;
  if (!capture->valid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (captured == nullptr) return invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  *captured = true;
  return CUDA_SUCCESS;
}

CUresult capture_work(CUstream stream, Work work) {
  return append(stream, [&](Graph& graph, std::vector<Node*> const& dependencies) {
    return add_node(graph, dependencies, std::move(work));
  });
}

CUresult capture_child(CUstream stream, Graph const& graph) {
  std::unique_ptr<Graph> copy = clone(graph);
  if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
  return append(stream, [&](Graph& into, std::vector<Node*> const& dependencies) {
    return add_child(into, dependencies, std::move(copy));
  });
}

CUresult capture_allocation(Channel& channel, Context& context, CUstream stream, std::uint64_t bytes,
                            CUdeviceptr& address) {
  AllocateWork work;
  CUresult status = GraphMemory::make(channel, context, bytes, work.memory);
  if (status != CUDA_SUCCESS) return status;
  CUdeviceptr const made = work.memory->address();
  status = capture_work(stream, std::move(work));
  if (status == CUDA_SUCCESS) address = made;
  return status;
}

// Only what a graph allocates can be freed in one.
CUresult capture_free(CUstream stream, CUdeviceptr address) {
  GraphMemory::Shared memory = GraphMemory::find(address);
  if (!memory) return CUDA_ERROR_INVALID_VALUE;
  return append(stream, [&](Graph& graph, std::vector<Node*> const& dependencies) {
    return add_node(graph, dependencies, FreeWork{std::move(memory)});
  });
}

CUresult capture_record(CUstream stream, Event& event) {
  return with_capture(stream, [&](Capture const& capture, CapturedStream const& captured) {
    event.captured_after = captured.after;
    event.capture.store(capture.id, std::memory_order_relaxed);
    return CUDA_SUCCESS;
  });
}

CUresult capture_wait(CUstream stream, Event& event) {
  std::lock_guard lock(captures_mutex());
  Capture* const waiting = find_capture(stream);
  Capture* const recorded = find_capture(event.capture.load(std::memory_order_relaxed));
  if (recorded == nullptr && event.capture.load(std::memory_order_relaxed) != 0)
    return waiting == nullptr ? CUDA_ERROR_CAPTURED_EVENT // recorded in a capture that has ended
                              : invalidate(*waiting, CUDA_ERROR_CAPTURED_EVENT);
  if (recorded == nullptr) // waiting is not nullptr
    return event.recorded.load() ? invalidate(*waiting, CUDA_ERROR_STREAM_CAPTURE_ISOLATION) : CUDA_SUCCESS;
  if (!recorded->valid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (is_legacy(stream)) return invalidate(*recorded, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  if (waiting == nullptr) {
    recorded->streams.push_back({key_of(stream), event.captured_after});
    return CUDA_SUCCESS;
  }
  if (waiting != recorded) {
    waiting->valid = false;
    return invalidate(*recorded, CUDA_ERROR_STREAM_CAPTURE_MERGE);
  }
  add_new(find_stream(*waiting, stream)->after, event.captured_after);
  return CUDA_SUCCESS;
}

void forget_capture(Event& event) {
  std::lock_guard lock(captures_mutex());
  event.capture.store(0, std::memory_order_relaxed);
  event.captured_after.clear();
}

CUresult refuse_captured_event(Event const& event) {
  std::lock_guard lock(captures_mutex());
  Capture* const capture = find_capture(event.capture.load(std::memory_order_relaxed));
  if (capture != nullptr) capture->valid = false;
  return CUDA_ERROR_CAPTURED_EVENT;
}

CUresult check_synchronizing() {
  std::lock_guard lock(captures_mutex());
  CUresult status = CUDA_SUCCESS;
  for (auto const& capture : captures())
    if (capture->valid && forbids_unsafe_calls(*capture))
      status = invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  return status;
}

void forget_stream(CUstream stream) {
  std::lock_guard lock(captures_mutex());
  Capture* const capture = find_capture(stream);
  if (capture == nullptr) return;
  CapturedStream const* const gone = find_stream(*capture, stream);
  if (gone == &capture->streams.front()) return remove(capture); // no stream is left that could end it
  capture->valid = false;
  capture->streams.erase(capture->streams.begin() + (gone - capture->streams.data()));
}

} // namespace pegasus::driver
