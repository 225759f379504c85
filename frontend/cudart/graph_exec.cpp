// SPDX-License-Identifier: Apache-2.0
// CUDA Runtime API, "Graph Management": executable graphs. Functions that change one node
// are in graph_nodes.cpp.
#include "frontend/cudart/context.h"

using namespace pegasus::cudart;

namespace {

cudaError_t instantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return with_context(
      [&](Driver const& driver) { return driver.cuGraphInstantiateWithFlags(exec, graph, flags); });
}

cudaError_t instantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphInstantiateParams* params,
                        cudaStream_t stream) {
  if (params == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUDA_GRAPH_INSTANTIATE_PARAMS converted{params->flags, stream, nullptr, CUDA_GRAPH_INSTANTIATE_ERROR};
    CUresult const result = driver.cuGraphInstantiateWithParams(exec, graph, &converted);
    params->errNode_out = converted.hErrNode_out;
    params->result_out = static_cast<cudaGraphInstantiateResult>(converted.result_out); // the same numbers
    return result;
  });
}

cudaStream_t stream_of(cudaGraphInstantiateParams const* params) {
  return params == nullptr ? nullptr : params->uploadStream;
}

} // namespace

PEGASUS_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                             unsigned long long flags) {
  return instantiate(exec, graph, flags);
}
PEGASUS_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                      unsigned long long flags) {
  return instantiate(exec, graph, flags);
}
PEGASUS_API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                       cudaGraphInstantiateParams* params) {
  return instantiate(exec, graph, params, stream_of(params));
}
PEGASUS_API cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                            cudaGraphInstantiateParams* params) {
  return instantiate(exec, graph, params, per_thread(stream_of(params)));
}
PEGASUS_API cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  if (flags == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    cuuint64_t found = 0;
    CUresult const result = driver.cuGraphExecGetFlags(exec, &found);
    if (result == CUDA_SUCCESS) *flags = found;
    return result;
  });
}
PEGASUS_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return with_driver([&](Driver const& driver) { return driver.cuGraphExecDestroy(exec); });
}

PEGASUS_API cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return with_context([&](Driver const& driver) { return driver.cuGraphLaunch(exec, stream); });
}
PEGASUS_API cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return with_context([&](Driver const& driver) { return driver.cuGraphUpload(exec, stream); });
}

PEGASUS_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                            cudaGraphExecUpdateResultInfo* info) {
  if (info == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUgraphExecUpdateResultInfo found{CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
    CUresult const result = driver.cuGraphExecUpdate_v2(exec, graph, &found);
    *info = {static_cast<cudaGraphExecUpdateResult>(found.result), found.errorNode, found.errorFromNode};
    return result;
  });
}

PEGASUS_API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                unsigned enabled) {
  return with_driver([&](Driver const& driver) { return driver.cuGraphNodeSetEnabled(exec, node, enabled); });
}
PEGASUS_API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                unsigned* enabled) {
  return with_driver([&](Driver const& driver) { return driver.cuGraphNodeGetEnabled(exec, node, enabled); });
}
