// SPDX-License-Identifier: Apache-2.0
// The functions for each type of node: add it, read it, change it in the graph or in an executable graph.
#include "frontend/cuda/graph/graph_edit.h"
#include "frontend/cuda/launch_attributes.h"

using namespace pegasus::driver;

namespace {

// For set() and add(): the work that `params` describes.
template <class Params> auto as(Params const* params) {
  return [params](Channel& channel, Context& context, Work& work) {
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : to_work(channel, context, *params, work);
  };
}
auto as(CUDA_KERNEL_NODE_PARAMS_v1 const* params) {
  return [params](Channel& channel, Context& context, Work& work) {
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : to_work(channel, context, widened(*params), work);
  };
}
auto as(CUDA_MEMSET_NODE_PARAMS_v1 const* params) {
  return [params](Channel& channel, Context& context, Work& work) {
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE
                             : to_work(channel, context, widened(*params, context.handle), work);
  };
}
auto as(CUDA_HOST_NODE_PARAMS_v1 const* params) {
  return [params](Channel& channel, Context&, Work& work) {
    if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
    work = HostWork{params->fn, params->userData};
    return check(channel, work);
  };
}
template <class T> auto as_event(CUevent event) {
  return [event](Channel& channel, Context&, Work& work) {
    work = T{event};
    return check(channel, work);
  };
}

} // namespace

CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* dependencies,
                              std::size_t count, CUDA_KERNEL_NODE_PARAMS_v1 const* params) {
  return add({node, graph, dependencies, count}, as(params));
}
CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, CUgraphNode const* dependencies,
                                 std::size_t count, CUDA_KERNEL_NODE_PARAMS_v2 const* params) {
  return add({node, graph, dependencies, count}, as(params));
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1* params) {
  return read<KernelWork>(node, params, [&](KernelWork& work) {
    auto const p = params_of(work);
    *params = {p.func,      p.gridDimX,  p.gridDimY,       p.gridDimZ,     p.blockDimX,
               p.blockDimY, p.blockDimZ, p.sharedMemBytes, p.kernelParams, nullptr};
  });
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2* params) {
  return read<KernelWork>(node, params, [&](KernelWork& work) { *params = params_of(work); });
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 const* params) {
  return set(node, as(params));
}
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2 const* params) {
  return set(node, as(params));
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        CUDA_KERNEL_NODE_PARAMS_v1 const* params) {
  return set_in(exec, node, as(params));
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           CUDA_KERNEL_NODE_PARAMS_v2 const* params) {
  return set_in(exec, node, as(params));
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* dependencies,
                              std::size_t count, CUDA_MEMCPY3D const* params, CUcontext) {
  return add({node, graph, dependencies, count}, as(params));
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* params) {
  return read<CopyWork>(node, params, [&](CopyWork const& work) { *params = work.what; });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, CUDA_MEMCPY3D const* params) {
  return set(node, as(params));
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, CUDA_MEMCPY3D const* params,
                                        CUcontext) {
  return set_in(exec, node, as(params));
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* dependencies,
                              std::size_t count, CUDA_MEMSET_NODE_PARAMS const* params, CUcontext) {
  return add({node, graph, dependencies, count}, as(params));
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* params) {
  return read<FillWork>(node, params, [&](FillWork const& work) {
    auto const& p = work.what;
    *params = {p.dst, p.pitch, p.value, p.elementSize, p.width, p.height};
  });
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS const* params) {
  return set(node, as(params));
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        CUDA_MEMSET_NODE_PARAMS const* params, CUcontext) {
  return set_in(exec, node, as(params));
}

CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* dependencies,
                            std::size_t count, CUDA_HOST_NODE_PARAMS const* params) {
  return add({node, graph, dependencies, count}, as(params));
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* params) {
  return read<HostWork>(node, params, [&](HostWork const& work) { *params = {work.function, work.data}; });
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS const* params) {
  return set(node, as(params));
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      CUDA_HOST_NODE_PARAMS const* params) {
  return set_in(exec, node, as(params));
}

CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* dependencies,
                             std::size_t count) {
  return add({node, graph, dependencies, count}, [](Channel&, Context&, Work&) { return CUDA_SUCCESS; });
}
CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* dependencies,
                                  std::size_t count, CUgraph child) {
  return add_child({node, graph, dependencies, count}, child);
}

#define PEGASUS_EVENT_NODE(name, T)                                                                          \
  CUresult cuGraphAdd##name##Node(CUgraphNode* node, CUgraph graph, CUgraphNode const* dependencies,         \
                                  std::size_t count, CUevent event) {                                        \
    return add({node, graph, dependencies, count}, as_event<T>(event));                                      \
  }                                                                                                          \
  CUresult cuGraph##name##NodeGetEvent(CUgraphNode node, CUevent* event) {                                   \
    return read<T>(node, event, [&](T const& work) { *event = work.event; });                                \
  }                                                                                                          \
  CUresult cuGraph##name##NodeSetEvent(CUgraphNode node, CUevent event) {                                    \
    return set(node, as_event<T>(event));                                                                    \
  }                                                                                                          \
  CUresult cuGraphExec##name##NodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {              \
    return set_in(exec, node, as_event<T>(event));                                                           \
  }
PEGASUS_EVENT_NODE(EventRecord, RecordWork)
PEGASUS_EVENT_NODE(EventWait, WaitWork)
#undef PEGASUS_EVENT_NODE

CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, CUgraphNode const* dependencies,
                           CUgraphEdgeData const*, std::size_t count, CUgraphNodeParams* params) {
  if (params != nullptr && params->type == CU_GRAPH_NODE_TYPE_GRAPH) {
    if (params->graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE) return CUDA_ERROR_NOT_SUPPORTED;
    CUresult const status = add_child({node, graph, dependencies, count}, params->graph.graph);
    return status == CUDA_SUCCESS ? cuGraphChildGraphNodeGetGraph(*node, &params->graph.graph) : status;
  }
  if (params != nullptr && params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) {
    auto& p = params->alloc;
    CUDA_MEM_ALLOC_NODE_PARAMS alloc{p.poolProps, p.accessDescs, p.accessDescCount, p.bytesize, 0};
    CUresult const status = cuGraphAddMemAllocNode(node, graph, dependencies, count, &alloc);
    if (status == CUDA_SUCCESS) p.dptr = alloc.dptr;
    return status;
  }
  if (params != nullptr && params->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
    return cuGraphAddMemFreeNode(node, graph, dependencies, count, params->free.dptr);
  return add({node, graph, dependencies, count}, as(params));
}
CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* dependencies, std::size_t count,
                        CUgraphNodeParams* params) {
  return cuGraphAddNode_v2(node, graph, dependencies, nullptr, count, params);
}
CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* params) { return set(node, as(params)); }
CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams* params) {
  if (params != nullptr && params->type == CU_GRAPH_NODE_TYPE_GRAPH)
    return cuGraphExecChildGraphNodeSetParams(exec, node, params->graph.graph);
  return set_in(exec, node, as(params));
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       CUkernelNodeAttrValue* value) {
  return read<KernelWork>(node, value, [&](KernelWork const& work) {
    *value = get_launch_attribute(attribute, work.shape, work.cooperative);
  });
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       CUkernelNodeAttrValue const* value) {
  return set(node, [&](Channel& channel, Context&, Work& work) {
    auto* const kernel = std::get_if<KernelWork>(&work);
    if (kernel == nullptr || value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUresult const status =
        set_launch_attribute(channel, attribute, *value, kernel->shape, kernel->cooperative);
    return status == CUDA_SUCCESS ? check(channel, work) : status;
  });
}
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode target, CUgraphNode source) {
  KernelWork copied;
  CUresult const status = read<KernelWork>(source, &copied, [&](KernelWork const& work) {
    copied.shape.attributes = work.shape.attributes;
    copied.cooperative = work.cooperative;
  });
  if (status != CUDA_SUCCESS) return status;
  return set(target, [&](Channel& channel, Context&, Work& work) {
    auto* const kernel = std::get_if<KernelWork>(&work);
    if (kernel == nullptr) return CUDA_ERROR_INVALID_VALUE;
    kernel->shape.attributes = copied.shape.attributes;
    kernel->cooperative = copied.cooperative;
    return check(channel, work);
  });
}
