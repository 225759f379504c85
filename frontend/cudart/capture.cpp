// SPDX-License-Identifier: Apache-2.0
// Stream capture (CUDA Runtime API, "Stream Management").
#include "frontend/cudart/graph_params.h"

using namespace pegasus::cudart;

static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData)); // the same fields
static_assert(static_cast<int>(cudaStreamCaptureModeRelaxed) == CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(static_cast<int>(cudaStreamCaptureStatusInvalidated) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);

PEGASUS_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return with_context([&](Driver const& driver) {
    return driver.cuStreamBeginCapture_v2(stream, static_cast<CUstreamCaptureMode>(mode));
  });
}
PEGASUS_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                      cudaGraphNode_t const* dependencies,
                                                      cudaGraphEdgeData const* data, std::size_t count,
                                                      cudaStreamCaptureMode mode) {
  return with_context([&](Driver const& driver) {
    return driver.cuStreamBeginCaptureToGraph(stream, graph, dependencies, edges(data), count,
                                              static_cast<CUstreamCaptureMode>(mode));
  });
}
PEGASUS_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return with_context([&](Driver const& driver) { return driver.cuStreamEndCapture(stream, graph); });
}

PEGASUS_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (status == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUstreamCaptureStatus answer = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult const result = driver.cuStreamIsCapturing(stream, &answer);
    *status = static_cast<cudaStreamCaptureStatus>(answer);
    return result;
  });
}

PEGASUS_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                 unsigned long long* id, cudaGraph_t* graph,
                                                 cudaGraphNode_t const** dependencies,
                                                 cudaGraphEdgeData const** data, std::size_t* count) {
  if (status == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUstreamCaptureStatus answer = CU_STREAM_CAPTURE_STATUS_NONE;
    cuuint64_t number = 0;
    CUresult const result =
        driver.cuStreamGetCaptureInfo_v3(stream, &answer, &number, graph, dependencies,
                                         reinterpret_cast<CUgraphEdgeData const**>(data), count);
    *status = static_cast<cudaStreamCaptureStatus>(answer);
    if (result == CUDA_SUCCESS && id != nullptr) *id = number;
    return result;
  });
}

PEGASUS_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                            cudaGraphNode_t* dependencies,
                                                            cudaGraphEdgeData const* data, std::size_t count,
                                                            unsigned flags) {
  return with_context([&](Driver const& driver) {
    return driver.cuStreamUpdateCaptureDependencies_v2(stream, dependencies, edges(data), count, flags);
  });
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
