// SPDX-License-Identifier: Apache-2.0
// Stream capture (CUDA Runtime API, "Stream Management").
#include "frontend/cudart/graph_params.h"

using namespace pegasus::cudart;

namespace {

static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData)); // the same fields
static_assert(static_cast<int>(cudaStreamCaptureModeRelaxed) == CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(static_cast<int>(cudaStreamCaptureStatusInvalidated) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);

cudaError_t begin(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return with_context([&](Driver const& driver) {
    return driver.cuStreamBeginCapture_v2(stream, static_cast<CUstreamCaptureMode>(mode));
  });
}

cudaError_t begin_in(cudaStream_t stream, cudaGraph_t graph, cudaGraphNode_t const* dependencies,
                     cudaGraphEdgeData const* data, std::size_t count, cudaStreamCaptureMode mode) {
  return with_context([&](Driver const& driver) {
    return driver.cuStreamBeginCaptureToGraph(stream, graph, dependencies, edges(data), count,
                                              static_cast<CUstreamCaptureMode>(mode));
  });
}

cudaError_t end(cudaStream_t stream, cudaGraph_t* graph) {
  return with_context([&](Driver const& driver) { return driver.cuStreamEndCapture(stream, graph); });
}

cudaError_t is_capturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (status == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUstreamCaptureStatus answer = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult const result = driver.cuStreamIsCapturing(stream, &answer);
    *status = static_cast<cudaStreamCaptureStatus>(answer);
    return result;
  });
}

struct Info {
  cudaStreamCaptureStatus* status;
  unsigned long long* id;
  cudaGraph_t* graph;
  cudaGraphNode_t const** dependencies;
  cudaGraphEdgeData const** edges;
  std::size_t* count;
};

cudaError_t get_info(cudaStream_t stream, Info const& out) {
  if (out.status == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    cuuint64_t id = 0;
    CUresult const result =
        driver.cuStreamGetCaptureInfo_v3(stream, &status, &id, out.graph, out.dependencies,
                                         reinterpret_cast<CUgraphEdgeData const**>(out.edges), out.count);
    *out.status = static_cast<cudaStreamCaptureStatus>(status);
    if (result == CUDA_SUCCESS && out.id != nullptr) *out.id = id;
    return result;
  });
}

cudaError_t update(cudaStream_t stream, cudaGraphNode_t* dependencies, cudaGraphEdgeData const* data,
                   std::size_t count, unsigned flags) {
  return with_context([&](Driver const& driver) {
    return driver.cuStreamUpdateCaptureDependencies_v2(stream, dependencies, edges(data), count, flags);
  });
}

} // namespace

PEGASUS_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return begin(stream, mode);
}
PEGASUS_API cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return begin(per_thread(stream), mode);
}
PEGASUS_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                      cudaGraphNode_t const* dependencies,
                                                      cudaGraphEdgeData const* data, std::size_t count,
                                                      cudaStreamCaptureMode mode) {
  return begin_in(stream, graph, dependencies, data, count, mode);
}
PEGASUS_API cudaError_t cudaStreamBeginCaptureToGraph_ptsz(cudaStream_t stream, cudaGraph_t graph,
                                                           cudaGraphNode_t const* dependencies,
                                                           cudaGraphEdgeData const* data, std::size_t count,
                                                           cudaStreamCaptureMode mode) {
  return begin_in(per_thread(stream), graph, dependencies, data, count, mode);
}
PEGASUS_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return end(stream, graph);
}
PEGASUS_API cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t* graph) {
  return end(per_thread(stream), graph);
}

PEGASUS_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return is_capturing(stream, status);
}
PEGASUS_API cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return is_capturing(per_thread(stream), status);
}

PEGASUS_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                 unsigned long long* id, cudaGraph_t* graph,
                                                 cudaGraphNode_t const** dependencies,
                                                 cudaGraphEdgeData const** data, std::size_t* count) {
  return get_info(stream, {status, id, graph, dependencies, data, count});
}
PEGASUS_API cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                      unsigned long long* id, cudaGraph_t* graph,
                                                      cudaGraphNode_t const** dependencies,
                                                      cudaGraphEdgeData const** data, std::size_t* count) {
  return get_info(per_thread(stream), {status, id, graph, dependencies, data, count});
}

PEGASUS_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                            cudaGraphNode_t* dependencies,
                                                            cudaGraphEdgeData const* data, std::size_t count,
                                                            unsigned flags) {
  return update(stream, dependencies, data, count, flags);
}
PEGASUS_API cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t stream,
                                                                 cudaGraphNode_t* dependencies,
                                                                 cudaGraphEdgeData const* data,
                                                                 std::size_t count, unsigned flags) {
  return update(per_thread(stream), dependencies, data, count, flags);
}

PEGASUS_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (mode == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    auto exchanged = static_cast<CUstreamCaptureMode>(*mode);
    CUresult const result = driver.cuThreadExchangeStreamCaptureMode(&exchanged);
    if (result == CUDA_SUCCESS) *mode = static_cast<cudaStreamCaptureMode>(exchanged);
    return result;
  });
}
