// SPDX-License-Identifier: Apache-2.0
// CUDA Runtime API, "Graph Management": memcpy nodes.
#include "frontend/cudart/graph_params.h"
#include "frontend/cudart/variable.h"

using namespace pegasus::cudart;

namespace {

struct Place {
  cudaGraphNode_t* node;
  cudaGraph_t graph;
  cudaGraphNode_t const* dependencies;
  std::size_t count;
};

// Uses a copy's description: for a new node, or to change an existing node.
cudaError_t put(Place const& place, CUDA_MEMCPY3D const& copy) {
  return in_context([&](Driver const& driver, CUcontext context) {
    return driver.cuGraphAddMemcpyNode(place.node, place.graph, place.dependencies, place.count, &copy,
                                       context);
  });
}
cudaError_t put(cudaGraphNode_t node, CUDA_MEMCPY3D const& copy) {
  return with_driver([&](Driver const& driver) { return driver.cuGraphMemcpyNodeSetParams(node, &copy); });
}
struct ExecNode {
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
};
cudaError_t put(ExecNode const& in, CUDA_MEMCPY3D const& copy) {
  return in_context([&](Driver const& driver, CUcontext context) {
    return driver.cuGraphExecMemcpyNodeSetParams(in.exec, in.node, &copy, context);
  });
}

template <class Where> cudaError_t put_box(Where const& where, cudaMemcpy3DParms const* params) {
  if (params == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUDA_MEMCPY3D copy{};
    cudaError_t const error = describe(driver, *params, copy);
    return error == cudaSuccess ? put(where, copy) : error;
  });
}

template <class Where> cudaError_t put_range(Where const& where, Range const& range) {
  return with_context([&](Driver const& driver) {
    CUDA_MEMCPY3D copy{};
    cudaError_t const error = convert(driver, range, copy);
    return error == cudaSuccess ? put(where, copy) : error;
  });
}

template <class Where>
cudaError_t put_to_symbol(Where const& where, void const* symbol, std::size_t offset, Range range) {
  return with_variable(symbol, [&](Driver const&, Variable const& variable) {
    if (!within(variable, offset, range.bytes)) return cudaErrorInvalidValue;
    range.target = pointer_to(variable.address + offset);
    return put_range(where, range);
  });
}

template <class Where>
cudaError_t put_from_symbol(Where const& where, void const* symbol, std::size_t offset, Range range) {
  return with_variable(symbol, [&](Driver const&, Variable const& variable) {
    if (!within(variable, offset, range.bytes)) return cudaErrorInvalidValue;
    range.source = pointer_to(variable.address + offset);
    return put_range(where, range);
  });
}

} // namespace

PEGASUS_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                               cudaGraphNode_t const* dependencies, std::size_t count,
                                               cudaMemcpy3DParms const* params) {
  return put_box(Place{node, graph, dependencies, count}, params);
}
PEGASUS_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                                 cudaGraphNode_t const* dependencies, std::size_t count,
                                                 void* target, void const* source, std::size_t bytes,
                                                 cudaMemcpyKind kind) {
  return put_range(Place{node, graph, dependencies, count}, {target, source, bytes, kind});
}
PEGASUS_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                       cudaGraphNode_t const* dependencies, std::size_t count,
                                                       void const* symbol, void const* source,
                                                       std::size_t bytes, std::size_t offset,
                                                       cudaMemcpyKind kind) {
  return put_to_symbol(Place{node, graph, dependencies, count}, symbol, offset,
                       {nullptr, source, bytes, kind});
}
PEGASUS_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                         cudaGraphNode_t const* dependencies,
                                                         std::size_t count, void* target, void const* symbol,
                                                         std::size_t bytes, std::size_t offset,
                                                         cudaMemcpyKind kind) {
  return put_from_symbol(Place{node, graph, dependencies, count}, symbol, offset,
                         {target, nullptr, bytes, kind});
}
PEGASUS_API cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* params) {
  if (params == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    CUDA_MEMCPY3D copy{};
    CUresult const result = driver.cuGraphMemcpyNodeGetParams(node, &copy);
    return result == CUDA_SUCCESS ? undescribe(driver, copy, *params) : from_driver(result);
  });
}
PEGASUS_API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, cudaMemcpy3DParms const* params) {
  return put_box(node, params);
}
PEGASUS_API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* target, void const* source,
                                                       std::size_t bytes, cudaMemcpyKind kind) {
  return put_range(node, {target, source, bytes, kind});
}
PEGASUS_API cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, void const* symbol,
                                                             void const* source, std::size_t bytes,
                                                             std::size_t offset, cudaMemcpyKind kind) {
  return put_to_symbol(node, symbol, offset, {nullptr, source, bytes, kind});
}
PEGASUS_API cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* target,
                                                               void const* symbol, std::size_t bytes,
                                                               std::size_t offset, cudaMemcpyKind kind) {
  return put_from_symbol(node, symbol, offset, {target, nullptr, bytes, kind});
}
PEGASUS_API cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                         cudaMemcpy3DParms const* params) {
  return put_box(ExecNode{exec, node}, params);
}
PEGASUS_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                           void* target, void const* source,
                                                           std::size_t bytes, cudaMemcpyKind kind) {
  return put_range(ExecNode{exec, node}, {target, source, bytes, kind});
}
PEGASUS_API cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                                 void const* symbol, void const* source,
                                                                 std::size_t bytes, std::size_t offset,
                                                                 cudaMemcpyKind kind) {
  return put_to_symbol(ExecNode{exec, node}, symbol, offset, {nullptr, source, bytes, kind});
}
PEGASUS_API cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                                   void* target, void const* symbol,
                                                                   std::size_t bytes, std::size_t offset,
                                                                   cudaMemcpyKind kind) {
  return put_from_symbol(ExecNode{exec, node}, symbol, offset, {target, nullptr, bytes, kind});
}
