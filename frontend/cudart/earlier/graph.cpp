// SPDX-License-Identifier: Apache-2.0
// Graphs and captures, as they were before edges had data.
#include "frontend/cudart/earlier/api.h"

using pegasus::cudart::per_thread;

using Node = cudaGraphNode_t;

PEGASUS_EARLIER(cudaGraphAddDependencies, cudaGraph_t graph, Node const* from, Node const* to,
                std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
PEGASUS_EARLIER(cudaGraphRemoveDependencies, cudaGraph_t graph, Node const* from, Node const* to,
                std::size_t count) {
  return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
PEGASUS_EARLIER(cudaGraphGetEdges, cudaGraph_t graph, Node* from, Node* to, std::size_t* count) {
  return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
PEGASUS_EARLIER(cudaGraphNodeGetDependencies, Node node, Node* nodes, std::size_t* count) {
  return cudaGraphNodeGetDependencies(node, nodes, nullptr, count);
}
PEGASUS_EARLIER(cudaGraphNodeGetDependentNodes, Node node, Node* nodes, std::size_t* count) {
  return cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count);
}

PEGASUS_EARLIER(cudaStreamUpdateCaptureDependencies, cudaStream_t stream, Node* nodes, std::size_t count,
                unsigned flags) {
  return cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
}
PEGASUS_EARLIER(cudaStreamUpdateCaptureDependencies_ptsz, cudaStream_t stream, Node* nodes, std::size_t count,
                unsigned flags) {
  return cudaStreamUpdateCaptureDependencies(per_thread(stream), nodes, nullptr, count, flags);
}

using Status = cudaStreamCaptureStatus;
using Id = unsigned long long;

PEGASUS_EARLIER(cudaStreamGetCaptureInfo, cudaStream_t stream, Status* status, Id* id) {
  return cudaStreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
PEGASUS_EARLIER(cudaStreamGetCaptureInfo_ptsz, cudaStream_t stream, Status* status, Id* id) {
  return cudaStreamGetCaptureInfo(per_thread(stream), status, id, nullptr, nullptr, nullptr, nullptr);
}
PEGASUS_EARLIER(cudaStreamGetCaptureInfo_v2, cudaStream_t stream, Status* status, Id* id, cudaGraph_t* graph,
                Node const** nodes, std::size_t* count) {
  return cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, nullptr, count);
}
PEGASUS_EARLIER(cudaStreamGetCaptureInfo_v2_ptsz, cudaStream_t stream, Status* status, Id* id,
                cudaGraph_t* graph, Node const** nodes, std::size_t* count) {
  return cudaStreamGetCaptureInfo(per_thread(stream), status, id, graph, nodes, nullptr, count);
}

#if PEGASUS_CUDART_RELEASE == 12
using EdgeData = cudaGraphEdgeData;

PEGASUS_EARLIER(cudaStreamUpdateCaptureDependencies_v2_ptsz, cudaStream_t stream, Node* nodes,
                EdgeData const* edges, std::size_t count, unsigned flags) {
  return cudaStreamUpdateCaptureDependencies(per_thread(stream), nodes, edges, count, flags);
}
PEGASUS_EARLIER(cudaStreamGetCaptureInfo_v3_ptsz, cudaStream_t stream, Status* status, Id* id,
                cudaGraph_t* graph, Node const** nodes, EdgeData const** edges, std::size_t* count) {
  return cudaStreamGetCaptureInfo(per_thread(stream), status, id, graph, nodes, edges, count);
}

PEGASUS_EARLIER(cudaGraphAddNode, Node* node, cudaGraph_t graph, Node const* after, std::size_t count,
                cudaGraphNodeParams* parameters) {
  return cudaGraphAddNode(node, graph, after, nullptr, count, parameters);
}
#endif

#if PEGASUS_CUDART_RELEASE == 11
// Our messages do not name a node, nor does a text.
PEGASUS_EARLIER(cudaGraphInstantiate, cudaGraphExec_t* exec, cudaGraph_t graph, Node* wrong, char* log,
                std::size_t bytes) {
  if (wrong != nullptr) *wrong = nullptr;
  if (log != nullptr && bytes > 0) *log = '\0';
  return cudaGraphInstantiate(exec, graph, 0);
}

PEGASUS_EARLIER(cudaGraphExecUpdate, cudaGraphExec_t exec, cudaGraph_t graph, Node* wrong,
                cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info{};
  cudaError_t const error = cudaGraphExecUpdate(exec, graph, &info);
  if (wrong != nullptr) *wrong = info.errorNode;
  if (result != nullptr) *result = info.result;
  return error;
}
#endif
