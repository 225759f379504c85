// SPDX-License-Identifier: Apache-2.0
// The common part of the functions that add a node, or change one in a graph or in an executable graph. These
// functions differ in how they describe the work.
#pragma once

#include "frontend/cuda/graph/graph_exec.h"
#include "frontend/cuda/graph/graph_params.h"

namespace pegasus::driver {

// The position of a new node.
struct Place {
  CUgraphNode* node;
  CUgraph graph;
  CUgraphNode const* dependencies;
  std::size_t count;
};

// `make(Channel&, Context&, Work&)` fills in the work.
template <class Make> CUresult add(Place const& place, Make make) {
  return with_context([&](Channel& channel, Context& context) {
    Graph* const graph = find<Graph>(place.graph);
    if (place.node == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::vector<Node*> dependencies;
    CUresult status = find_nodes(*graph, place.dependencies, place.count, dependencies);
    Work work;
    if (status == CUDA_SUCCESS) status = make(channel, context, work);
    if (status != CUDA_SUCCESS) return status;
    Node const* const node = add_node(*graph, dependencies, std::move(work));
    if (node == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    *place.node = node->handle;
    return CUDA_SUCCESS;
  });
}

// The node gets a copy of `child`.
CUresult add_child(Place const& place, CUgraph child);

// Calls `read(T&)` with the node's work, which must be a T.
template <class T, class Read> CUresult read(CUgraphNode handle, void const* out, Read read_work) {
  return with_driver([&](Channel&) {
    Node* const node = find<Node>(handle);
    T* const work = node == nullptr ? nullptr : std::get_if<T>(&node->work);
    if (work == nullptr || out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    read_work(*work);
    return CUDA_SUCCESS;
  });
}

template <class Make> CUresult set(CUgraphNode handle, Make make) {
  return with_context([&](Channel& channel, Context& context) {
    Node* const node = find<Node>(handle);
    if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Work work = node->work;
    CUresult const status = make(channel, context, work);
    if (status != CUDA_SUCCESS) return status;
    if (work.index() != node->work.index()) return CUDA_ERROR_INVALID_VALUE;
    node->work = std::move(work);
    return CUDA_SUCCESS;
  });
}

// The executable graph's copy of the program's node; nullptr if it has none.
ExecNode* find_in(GraphExec& exec, CUgraphNode handle);

template <class Make> CUresult set_in(CUgraphExec exec_handle, CUgraphNode handle, Make make) {
  return with_context([&](Channel& channel, Context& context) {
    GraphExec* const exec = find<GraphExec>(exec_handle);
    if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::lock_guard lock(exec->mutex);
    ExecNode* const node = find_in(*exec, handle);
    if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Work work = node->node->work;
    CUresult const status = make(channel, context, work);
    return status == CUDA_SUCCESS ? change(channel, *exec, *node, std::move(work)) : status;
  });
}

// The nodes of `ours`, a graph within `exec`, take the work of their counterparts in `theirs`: all or none.
CUresult take_over(Channel& channel, GraphExec& exec, Graph const& ours, Graph const& theirs,
                   CUgraphExecUpdateResultInfo& info);

} // namespace pegasus::driver
