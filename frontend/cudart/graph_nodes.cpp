// SPDX-License-Identifier: Apache-2.0
// CUDA Runtime API, "Graph Management": the functions for each type of node except copies.
#include "frontend/cudart/graph_params.h"

using namespace pegasus::cudart;

namespace {

// `use(Driver const&, converted parameters)` returns a CUresult.
template <class Use> cudaError_t with_kernel(cudaKernelNodeParams const* params, Use&& use) {
  if (params == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUDA_KERNEL_NODE_PARAMS kernel{};
    cudaError_t const error = convert(driver, *params, kernel);
    return error == cudaSuccess ? from_driver(use(driver, kernel)) : error;
  });
}

template <class Use> cudaError_t with_params(cudaGraphNodeParams const* params, Use&& use) {
  if (params == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUgraphNodeParams converted{};
    cudaError_t const error = convert(driver, *params, converted);
    return error == cudaSuccess ? from_driver(use(driver, converted)) : error;
  });
}

} // namespace

PEGASUS_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                               cudaGraphNode_t const* dependencies, std::size_t count,
                                               cudaKernelNodeParams const* params) {
  return with_kernel(params, [&](Driver const& driver, CUDA_KERNEL_NODE_PARAMS const& kernel) {
    return driver.cuGraphAddKernelNode_v2(node, graph, dependencies, count, &kernel);
  });
}
PEGASUS_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  if (params == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    CUDA_KERNEL_NODE_PARAMS kernel{};
    CUresult const result = driver.cuGraphKernelNodeGetParams_v2(node, &kernel);
    if (result == CUDA_SUCCESS) *params = convert(kernel);
    return result;
  });
}
PEGASUS_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                     cudaKernelNodeParams const* params) {
  return with_kernel(params, [&](Driver const& driver, CUDA_KERNEL_NODE_PARAMS const& kernel) {
    return driver.cuGraphKernelNodeSetParams_v2(node, &kernel);
  });
}
PEGASUS_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                         cudaKernelNodeParams const* params) {
  return with_kernel(params, [&](Driver const& driver, CUDA_KERNEL_NODE_PARAMS const& kernel) {
    return driver.cuGraphExecKernelNodeSetParams_v2(exec, node, &kernel);
  });
}
static_assert(sizeof(cudaKernelNodeAttrValue) == sizeof(CUkernelNodeAttrValue)); // the same ids and values
PEGASUS_API cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                                        cudaKernelNodeAttrValue* value) {
  return with_driver([&](Driver const& driver) {
    return driver.cuGraphKernelNodeGetAttribute(node, static_cast<CUkernelNodeAttrID>(attribute),
                                                reinterpret_cast<CUkernelNodeAttrValue*>(value));
  });
}
PEGASUS_API cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                                        cudaKernelNodeAttrValue const* value) {
  return with_context([&](Driver const& driver) {
    return driver.cuGraphKernelNodeSetAttribute(node, static_cast<CUkernelNodeAttrID>(attribute),
                                                reinterpret_cast<CUkernelNodeAttrValue const*>(value));
  });
}
PEGASUS_API cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t target, cudaGraphNode_t source) {
  return with_context(
      [&](Driver const& driver) { return driver.cuGraphKernelNodeCopyAttributes(target, source); });
}

PEGASUS_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                               cudaGraphNode_t const* dependencies, std::size_t count,
                                               cudaMemsetParams const* params) {
  if (params == nullptr) return finish(cudaErrorInvalidValue);
  return in_context([&](Driver const& driver, CUcontext context) {
    CUDA_MEMSET_NODE_PARAMS const fill = convert(*params);
    return driver.cuGraphAddMemsetNode(node, graph, dependencies, count, &fill, context);
  });
}
PEGASUS_API cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* params) {
  if (params == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    CUDA_MEMSET_NODE_PARAMS fill{};
    CUresult const result = driver.cuGraphMemsetNodeGetParams(node, &fill);
    if (result == CUDA_SUCCESS) *params = convert(fill);
    return result;
  });
}
PEGASUS_API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, cudaMemsetParams const* params) {
  if (params == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUDA_MEMSET_NODE_PARAMS const fill = convert(*params);
    return driver.cuGraphMemsetNodeSetParams(node, &fill);
  });
}
PEGASUS_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                         cudaMemsetParams const* params) {
  if (params == nullptr) return finish(cudaErrorInvalidValue);
  return in_context([&](Driver const& driver, CUcontext context) {
    CUDA_MEMSET_NODE_PARAMS const fill = convert(*params);
    return driver.cuGraphExecMemsetNodeSetParams(exec, node, &fill, context);
  });
}

static_assert(sizeof(cudaHostNodeParams) == sizeof(CUDA_HOST_NODE_PARAMS)); // the same fields
PEGASUS_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                             cudaGraphNode_t const* dependencies, std::size_t count,
                                             cudaHostNodeParams const* params) {
  return with_context([&](Driver const& driver) {
    return driver.cuGraphAddHostNode(node, graph, dependencies, count,
                                     reinterpret_cast<CUDA_HOST_NODE_PARAMS const*>(params));
  });
}
PEGASUS_API cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* params) {
  return with_driver([&](Driver const& driver) {
    return driver.cuGraphHostNodeGetParams(node, reinterpret_cast<CUDA_HOST_NODE_PARAMS*>(params));
  });
}
PEGASUS_API cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, cudaHostNodeParams const* params) {
  return with_context([&](Driver const& driver) {
    return driver.cuGraphHostNodeSetParams(node, reinterpret_cast<CUDA_HOST_NODE_PARAMS const*>(params));
  });
}
PEGASUS_API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       cudaHostNodeParams const* params) {
  return with_context([&](Driver const& driver) {
    return driver.cuGraphExecHostNodeSetParams(exec, node,
                                               reinterpret_cast<CUDA_HOST_NODE_PARAMS const*>(params));
  });
}

PEGASUS_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                              cudaGraphNode_t const* dependencies, std::size_t count) {
  return with_context(
      [&](Driver const& driver) { return driver.cuGraphAddEmptyNode(node, graph, dependencies, count); });
}
PEGASUS_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                   cudaGraphNode_t const* dependencies, std::size_t count,
                                                   cudaGraph_t child) {
  return with_context([&](Driver const& driver) {
    return driver.cuGraphAddChildGraphNode(node, graph, dependencies, count, child);
  });
}
PEGASUS_API cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                             cudaGraph_t child) {
  return with_context(
      [&](Driver const& driver) { return driver.cuGraphExecChildGraphNodeSetParams(exec, node, child); });
}

PEGASUS_API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                    cudaGraphNode_t const* dependencies, std::size_t count,
                                                    cudaEvent_t event) {
  return with_context([&](Driver const& driver) {
    return driver.cuGraphAddEventRecordNode(node, graph, dependencies, count, event);
  });
}
PEGASUS_API cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return with_driver(
      [&](Driver const& driver) { return driver.cuGraphEventRecordNodeGetEvent(node, event); });
}
PEGASUS_API cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return with_context(
      [&](Driver const& driver) { return driver.cuGraphEventRecordNodeSetEvent(node, event); });
}
PEGASUS_API cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                             cudaEvent_t event) {
  return with_context(
      [&](Driver const& driver) { return driver.cuGraphExecEventRecordNodeSetEvent(exec, node, event); });
}
PEGASUS_API cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                  cudaGraphNode_t const* dependencies, std::size_t count,
                                                  cudaEvent_t event) {
  return with_context([&](Driver const& driver) {
    return driver.cuGraphAddEventWaitNode(node, graph, dependencies, count, event);
  });
}
PEGASUS_API cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return with_driver([&](Driver const& driver) { return driver.cuGraphEventWaitNodeGetEvent(node, event); });
}
PEGASUS_API cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return with_context([&](Driver const& driver) { return driver.cuGraphEventWaitNodeSetEvent(node, event); });
}
PEGASUS_API cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                           cudaEvent_t event) {
  return with_context(
      [&](Driver const& driver) { return driver.cuGraphExecEventWaitNodeSetEvent(exec, node, event); });
}

PEGASUS_API cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                         cudaGraphNode_t const* dependencies, cudaGraphEdgeData const* data,
                                         std::size_t count, cudaGraphNodeParams* params) {
  return with_params(params, [&](Driver const& driver, CUgraphNodeParams& converted) {
    CUresult const result = driver.cuGraphAddNode_v2(
        node, graph, dependencies, reinterpret_cast<CUgraphEdgeData const*>(data), count, &converted);
    if (result == CUDA_SUCCESS && params->type == cudaGraphNodeTypeGraph)
      params->graph.graph = converted.graph.graph; // the node has its own copy
    if (result == CUDA_SUCCESS && params->type == cudaGraphNodeTypeMemAlloc)
      params->alloc.dptr = pointer_to(converted.alloc.dptr);
    return result;
  });
}
PEGASUS_API cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* params) {
  return with_params(params, [&](Driver const& driver, CUgraphNodeParams& converted) {
    return driver.cuGraphNodeSetParams(node, &converted);
  });
}
PEGASUS_API cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                   cudaGraphNodeParams* params) {
  return with_params(params, [&](Driver const& driver, CUgraphNodeParams& converted) {
    return driver.cuGraphExecNodeSetParams(exec, node, &converted);
  });
}
