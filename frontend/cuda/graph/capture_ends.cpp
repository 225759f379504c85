// SPDX-License-Identifier: Apache-2.0
// Beginning, ending and querying a capture.
#include "frontend/cuda/graph/capture_state.h"
#include "frontend/cuda/stream.h"

#include <algorithm>
#include <unordered_set>

namespace pegasus::driver {
namespace {

// Does the end of the first stream wait for the ends of all other streams?
bool all_joined(Capture const& capture) {
  std::unordered_set<CUgraphNode> reached;
  CapturedNodes open = capture.streams.front().after;
  while (!open.empty()) {
    CUgraphNode const handle = open.back();
    open.pop_back();
    Node const* const node = find<Node>(handle);
    if (node == nullptr || !reached.insert(handle).second) continue;
    for (Node const* const from : node->dependencies)
      open.push_back(from->handle);
  }
  return std::all_of(capture.streams.begin(), capture.streams.end(), [&](CapturedStream const& s) {
    return std::all_of(s.after.begin(), s.after.end(), [&](CUgraphNode n) { return reached.contains(n); });
  });
}

// The lock is held.
CUresult begin(CUstream stream, CUstreamCaptureMode mode, CUgraph graph, bool owned, CapturedNodes after) {
  auto capture = std::make_unique<Capture>();
  capture->owned = owned;
  capture->graph = graph;
  capture->id = next_id();
  capture->mode = mode;
  capture->thread = this_thread_key();
  capture->streams.push_back({key_of(stream), std::move(after)});
  captures().push_back(std::move(capture));
  captures_under_way.fetch_add(1, std::memory_order_relaxed);
  return CUDA_SUCCESS;
}

CUresult check_begin(CUstream stream, CUstreamCaptureMode mode) {
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  if (is_legacy(stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream != CU_STREAM_PER_THREAD && find<Stream>(stream) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return find_capture(stream) == nullptr ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE;
}

} // namespace

CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode) {
  std::lock_guard lock(captures_mutex());
  if (CUresult const status = check_begin(stream, mode); status != CUDA_SUCCESS) return status;
  std::unique_ptr<Graph> graph = make_graph();
  if (!graph) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult const status = begin(stream, mode, graph->handle, true, {});
  (void)graph.release(); // the capture owns it now
  return status;
}

CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode, CUgraph handle,
                       CUgraphNode const* dependencies, std::size_t count) {
  std::lock_guard lock(captures_mutex());
  if (CUresult const status = check_begin(stream, mode); status != CUDA_SUCCESS) return status;
  Graph const* const graph = find<Graph>(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::vector<Node*> nodes;
  if (CUresult const status = find_nodes(*graph, dependencies, count, nodes); status != CUDA_SUCCESS)
    return status;
  return begin(stream, mode, handle, false, {dependencies, dependencies + count});
}

CUresult end_capture(CUstream stream, CUgraph* graph) {
  *graph = nullptr;
  std::lock_guard lock(captures_mutex());
  Capture* const capture = find_capture(stream);
  if (capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != this_thread_key())
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  if (find_stream(*capture, stream) != &capture->streams.front())
    return invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  CUresult const status = !capture->valid || find<Graph>(capture->graph) == nullptr
                              ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                          : all_joined(*capture) ? CUDA_SUCCESS
                                                 : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  if (status == CUDA_SUCCESS) {
    capture->owned = false;
    *graph = capture->graph;
  }
  remove(capture);
  return status;
}

CUresult capture_info(CUstream stream, CaptureInfo& info) {
  std::lock_guard lock(captures_mutex());
  info = {};
  if (is_legacy(stream)) {
    for (auto const& capture : captures())
      if (has_blocking_stream(*capture)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    return CUDA_SUCCESS;
  }
  if (stream != CU_STREAM_PER_THREAD && find<Stream>(stream) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  Capture* const capture = find_capture(stream);
  if (capture == nullptr) return CUDA_SUCCESS;
  info.status = capture->valid ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  if (!capture->valid) return CUDA_SUCCESS;
  info.id = capture->id;
  info.graph = capture->graph;
  CapturedNodes const& after = find_stream(*capture, stream)->after;
  info.dependencies = after.data();
  info.count = after.size();
  return CUDA_SUCCESS;
}

CUresult set_capture_dependencies(CUstream stream, CUgraphNode const* handles, std::size_t count, bool add) {
  return with_capture(stream, [&](Capture const& capture, CapturedStream& captured) {
    std::vector<Node*> nodes;
    CUresult const status = find_nodes(*find<Graph>(capture.graph), handles, count, nodes);
    if (status != CUDA_SUCCESS) return status;
    if (!add) captured.after.clear();
    add_new(captured.after, {handles, handles + count});
    return CUDA_SUCCESS;
  });
}

} // namespace pegasus::driver
