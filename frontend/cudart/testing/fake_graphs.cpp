// SPDX-License-Identifier: Apache-2.0
// The recording driver's graphs: it records the last request, and returns the same values to queries.
#include "frontend/cudart/testing/fake_cuda.h"

extern "C" {

FakeCuda* fake_cuda_state();

static FakeCuda& state() { return *fake_cuda_state(); }

static CUresult put(CUgraphNode* node, std::size_t dependencies) {
  *node = reinterpret_cast<CUgraphNode>(&state());
  state().node_dependencies = dependencies;
  return CUDA_SUCCESS;
}

CUresult cuGraphCreate(CUgraph* graph, unsigned) {
  *graph = reinterpret_cast<CUgraph>(&state());
  return CUDA_SUCCESS;
}
CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph, CUgraphNode const*, std::size_t count,
                                 CUDA_KERNEL_NODE_PARAMS const* params) {
  state().node_kernel = *params;
  return put(node, count);
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode, CUDA_KERNEL_NODE_PARAMS* params) {
  *params = state().node_kernel;
  return CUDA_SUCCESS;
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec, CUgraphNode, CUDA_KERNEL_NODE_PARAMS const* params) {
  state().node_kernel = *params;
  return CUDA_SUCCESS;
}
CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph, CUgraphNode const*, std::size_t count,
                              CUDA_MEMCPY3D const* copy, CUcontext context) {
  state().node_copy = *copy;
  state().node_context = context;
  return put(node, count);
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode, CUDA_MEMCPY3D* copy) {
  *copy = state().node_copy;
  return CUDA_SUCCESS;
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec, CUgraphNode, CUDA_MEMCPY3D const* copy,
                                        CUcontext context) {
  state().node_copy = *copy;
  state().node_context = context;
  return CUDA_SUCCESS;
}
CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph, CUgraphNode const*, std::size_t count,
                              CUDA_MEMSET_NODE_PARAMS const* fill, CUcontext context) {
  state().node_fill = *fill;
  state().node_context = context;
  return put(node, count);
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode, CUDA_MEMSET_NODE_PARAMS* fill) {
  *fill = state().node_fill;
  return CUDA_SUCCESS;
}
CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph, CUgraphNode const*, CUgraphEdgeData const*,
                           std::size_t count, CUgraphNodeParams* params) {
  state().node_any = *params;
  if (params->type == CU_GRAPH_NODE_TYPE_GRAPH) params->graph.graph = reinterpret_cast<CUgraph>(&state());
  return put(node, count);
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph, unsigned long long flags) {
  *exec = reinterpret_cast<CUgraphExec>(&state());
  state().instantiate_flags = flags;
  return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec, CUstream stream) {
  ++state().launches;
  state().stream = stream;
  return state().sticky;
}
CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  state().stream = stream;
  state().capture_mode = mode;
  return CUDA_SUCCESS;
}
CUresult cuStreamGetCaptureInfo_v3(CUstream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                   CUgraphNode const**, CUgraphEdgeData const**, std::size_t* count) {
  *status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (id != nullptr) *id = 5;
  if (graph != nullptr) *graph = reinterpret_cast<CUgraph>(&state());
  if (count != nullptr) *count = 3;
  return CUDA_SUCCESS;
}

} // extern "C"
