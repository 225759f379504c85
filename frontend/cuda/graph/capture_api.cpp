// SPDX-License-Identifier: Apache-2.0
// The functions that begin, end and query stream captures.
#include "frontend/cuda/graph/capture.h"
#include "frontend/cuda/stream.h"

namespace pegasus::driver {
namespace {

CUresult begin(CUstream stream, CUstreamCaptureMode mode) {
  return with_context([&](Channel&, Context&) { return begin_capture(stream, mode); });
}

// The pointers are those that the caller asked for; the others are nullptr.
CUresult info_of(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                 CUgraphNode const** dependencies, std::size_t* count) {
  return with_context([&](Channel&, Context&) {
    CaptureInfo info;
    if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUresult const found = capture_info(stream, info);
    if (found != CUDA_SUCCESS) return found;
    *status = info.status;
    if (id != nullptr) *id = info.id;
    if (graph != nullptr) *graph = info.graph;
    if (dependencies != nullptr) *dependencies = info.dependencies;
    if (count != nullptr) *count = info.count;
    return CUDA_SUCCESS;
  });
}

CUresult update(CUstream stream, CUgraphNode const* dependencies, std::size_t count, unsigned flags) {
  return with_context([&](Channel&, Context&) {
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES) return CUDA_ERROR_INVALID_VALUE;
    return set_capture_dependencies(stream, dependencies, count, flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES);
  });
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuStreamBeginCapture(CUstream stream) { return begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL); }
CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) { return begin(stream, mode); }
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, CUgraphNode const* dependencies,
                                     CUgraphEdgeData const*, std::size_t count, CUstreamCaptureMode mode) {
  return with_context(
      [&](Channel&, Context&) { return begin_capture(stream, mode, graph, dependencies, count); });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return with_context([&](Channel&, Context&) {
    return graph == nullptr ? CUDA_ERROR_INVALID_VALUE : end_capture(stream, graph);
  });
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return info_of(stream, status, nullptr, nullptr, nullptr, nullptr);
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id) {
  return info_of(stream, status, id, nullptr, nullptr, nullptr);
}
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, CUgraphNode const** dependencies, std::size_t* count) {
  return info_of(stream, status, id, graph, dependencies, count);
}
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, CUgraphNode const** dependencies,
                                   CUgraphEdgeData const** edges, std::size_t* count) {
  if (edges != nullptr) *edges = nullptr; // all edges are plain ones
  return info_of(stream, status, id, graph, dependencies, count);
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* dependencies, std::size_t count,
                                           unsigned flags) {
  return update(stream, dependencies, count, flags);
}
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* dependencies,
                                              CUgraphEdgeData const*, std::size_t count, unsigned flags) {
  return update(stream, dependencies, count, flags);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  if (mode == nullptr || *mode < CU_STREAM_CAPTURE_MODE_GLOBAL || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  *mode = exchange_capture_mode(*mode);
  return CUDA_SUCCESS;
}
