// SPDX-License-Identifier: Apache-2.0
// Executable graphs: creating, launching, changing.
#include "frontend/cuda/graph/capture.h"
#include "frontend/cuda/graph/graph_edit.h"
#include "frontend/cuda/stream.h"

namespace pegasus::driver {
namespace {

constexpr cuuint64_t exec_flags =
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
    CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

CUresult instantiate(CUgraphExec* out, CUgraph handle, cuuint64_t flags, CUgraphNode* error_node) {
  return with_context([&](Channel& channel, Context&) {
    if (error_node != nullptr) *error_node = nullptr;
    Graph const* const graph = find<Graph>(handle);
    if (out == nullptr || graph == nullptr || (flags & ~exec_flags) != 0) return CUDA_ERROR_INVALID_VALUE;
    if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0) return CUDA_ERROR_NOT_SUPPORTED;
    std::unique_ptr<GraphExec> exec;
    if (CUresult const status = instantiate(channel, *graph, exec, error_node); status != CUDA_SUCCESS)
      return status;
    exec->flags = flags;
    exec->handle = insert<GraphExec>(exec.get());
    if (exec->handle == nullptr) {
      destroy(channel, *exec);
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *out = exec.release()->handle;
    return CUDA_SUCCESS;
  });
}

CUresult instantiate(CUgraphExec* out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUresult const status = instantiate(out, graph, params->flags, &params->hErrNode_out);
  bool const structure = status == CUDA_ERROR_INVALID_VALUE && params->hErrNode_out == nullptr;
  params->result_out = status == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                       : status == CUDA_ERROR_NOT_SUPPORTED
                           ? CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED
                       : structure ? CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE
                                   : CUDA_GRAPH_INSTANTIATE_ERROR;
  return status;
}

CUresult update(CUgraphExec handle, CUgraph graph_handle, CUgraphExecUpdateResultInfo* info) {
  return with_context([&](Channel& channel, Context&) {
    GraphExec* const exec = find<GraphExec>(handle);
    Graph const* const graph = find<Graph>(graph_handle);
    if (exec == nullptr || graph == nullptr || info == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::lock_guard lock(exec->mutex);
    return take_over(channel, *exec, *exec->graph, *graph, *info);
  });
}

bool can_be_disabled(Work const& work) {
  return std::holds_alternative<KernelWork>(work) || std::holds_alternative<CopyWork>(work) ||
         std::holds_alternative<FillWork>(work);
}

// Calls `use(GraphExec&, ExecNode&)` with the lock held.
template <class Use> CUresult with_node(CUgraphExec exec_handle, CUgraphNode handle, Use use) {
  return with_driver([&](Channel&) {
    GraphExec* const exec = find<GraphExec>(exec_handle);
    if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::lock_guard lock(exec->mutex);
    ExecNode* const node = find_in(*exec, handle);
    if (node == nullptr || !can_be_disabled(node->node->work)) return CUDA_ERROR_INVALID_VALUE;
    return use(*exec, *node);
  });
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, CUgraphNode* error_node, char*, std::size_t) {
  return instantiate(exec, graph, 0, error_node);
}
CUresult cuGraphInstantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode* error_node, char* log,
                               std::size_t bytes) {
  if (log != nullptr && bytes > 0) *log = '\0';
  return instantiate(exec, graph, 0, error_node);
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  return instantiate(exec, graph, flags, nullptr);
}
CUresult cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  return instantiate(exec, graph, params);
}
CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec* exec, CUgraph graph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  return instantiate(exec, graph, params);
}

CUresult cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t* flags) {
  return with_driver([&](Channel&) {
    GraphExec const* const exec = find<GraphExec>(handle);
    if (exec == nullptr || flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = exec->flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  return with_driver([&](Channel& channel) {
    std::unique_ptr<GraphExec> const exec(erase<GraphExec>(handle));
    if (!exec) return CUDA_ERROR_INVALID_VALUE;
    destroy(channel, *exec);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphUpload(CUgraphExec handle, CUstream stream) {
  return with_context([&](Channel& channel, Context&) {
    GraphExec* const exec = find<GraphExec>(handle);
    if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::uint64_t remote = 0;
    if (CUresult const status = resolve_stream(channel, stream, remote); status != CUDA_SUCCESS)
      return status;
    std::lock_guard lock(exec->mutex);
    return upload(channel, *exec);
  });
}
CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream) {
  return with_context([&](Channel& channel, Context&) {
    GraphExec* const exec = find<GraphExec>(handle);
    if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::uint64_t remote = 0;
    bool captured = false;
    if (CUresult const status = resolve_stream(channel, stream, remote, nullptr, &captured);
        status != CUDA_SUCCESS)
      return status;
    if (!captured) return launch(channel, *exec, stream, remote);
    std::lock_guard lock(exec->mutex);
    if (has_memory_nodes(*exec->graph)) return CUDA_ERROR_NOT_SUPPORTED;
    return capture_child(stream, *exec->graph);
  });
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode* error_node,
                           CUgraphExecUpdateResult* result_out) {
  CUgraphExecUpdateResultInfo info{CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
  CUresult const status = update(exec, graph, &info);
  if (error_node != nullptr) *error_node = info.errorNode;
  if (result_out != nullptr) *result_out = info.result;
  return status;
}
CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info) {
  return update(exec, graph, info);
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec_handle, CUgraphNode handle, CUgraph child) {
  return with_context([&](Channel& channel, Context&) {
    GraphExec* const exec = find<GraphExec>(exec_handle);
    Graph const* const graph = find<Graph>(child);
    if (exec == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::lock_guard lock(exec->mutex);
    ExecNode const* const node = find_in(*exec, handle);
    if (node == nullptr || !node->node->child) return CUDA_ERROR_INVALID_VALUE;
    CUgraphExecUpdateResultInfo info{};
    CUresult const status = take_over(channel, *exec, *node->node->child, *graph, info);
    return status == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE ? CUDA_ERROR_INVALID_VALUE : status;
  });
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled) {
  return with_node(exec, node, [&](GraphExec& of, ExecNode& it) {
    it.enabled = enabled != 0;
    of.steps[it.step].stale = true;
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned* enabled) {
  return with_node(exec, node, [&](GraphExec&, ExecNode const& it) {
    if (enabled == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *enabled = it.enabled ? 1 : 0;
    return CUDA_SUCCESS;
  });
}
