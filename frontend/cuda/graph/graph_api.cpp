// SPDX-License-Identifier: Apache-2.0
// Graphs as a whole: creating, copying, listing nodes and edges. Every edge is a full dependency: the worker
// executes the nodes one at a time, so no node starts early through a programmatic edge.
#include "frontend/cuda/graph/graph.h"

#include <algorithm>

namespace pegasus::driver {
namespace {

// `*count` is the room on entry and the number of entries on return; without arrays, the number that exists.
template <class Each> CUresult list(std::size_t have, std::size_t* count, bool fill, Each each) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (fill) {
    for (std::size_t i = 0; i < *count; ++i)
      each(i, i < have);
    *count = std::min(*count, have);
  } else {
    *count = have;
  }
  return CUDA_SUCCESS;
}

CUresult list_nodes(std::vector<Node*> const& nodes, CUgraphNode* out, CUgraphEdgeData* data,
                    std::size_t* count) {
  return list(nodes.size(), count, out != nullptr || data != nullptr, [&](std::size_t i, bool there) {
    if (out != nullptr) out[i] = there ? nodes[i]->handle : nullptr;
    if (data != nullptr) data[i] = {};
  });
}

CUresult nodes_of(CUgraph handle, CUgraphNode* out, std::size_t* count, bool roots_alone) {
  return with_driver([&](Channel&) {
    Graph const* const graph = find<Graph>(handle);
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::vector<Node*> nodes;
    for (auto const& node : graph->nodes)
      if (!roots_alone || node->dependencies.empty()) nodes.push_back(node.get());
    return list_nodes(nodes, out, nullptr, count);
  });
}

CUresult edges_of(CUgraph handle, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                  std::size_t* count) {
  return with_driver([&](Channel&) {
    Graph const* const graph = find<Graph>(handle);
    if (graph == nullptr || (from == nullptr) != (to == nullptr)) return CUDA_ERROR_INVALID_VALUE;
    std::vector<std::pair<Node const*, Node const*>> edges;
    for (auto const& node : graph->nodes)
      for (Node const* const next : node->dependents)
        edges.emplace_back(node.get(), next);
    return list(edges.size(), count, from != nullptr || data != nullptr, [&](std::size_t i, bool there) {
      if (from != nullptr) from[i] = there ? edges[i].first->handle : nullptr;
      if (to != nullptr) to[i] = there ? edges[i].second->handle : nullptr;
      if (data != nullptr) data[i] = {};
    });
  });
}

CUresult neighbours_of(CUgraphNode handle, std::vector<Node*> Node::*neighbours, CUgraphNode* out,
                       CUgraphEdgeData* data, std::size_t* count) {
  return with_driver([&](Channel&) {
    Node const* const node = find<Node>(handle);
    return node == nullptr ? CUDA_ERROR_INVALID_VALUE : list_nodes(node->*neighbours, out, data, count);
  });
}

// Edits all of the edges or none.
CUresult edit_edges(CUgraph handle, CUgraphNode const* from, CUgraphNode const* to, std::size_t count,
                    bool add) {
  return with_driver([&](Channel&) {
    Graph const* const graph = find<Graph>(handle);
    if (graph == nullptr || (count != 0 && (from == nullptr || to == nullptr)))
      return CUDA_ERROR_INVALID_VALUE;
    if (!add && has_memory_nodes(*graph)) return CUDA_ERROR_NOT_SUPPORTED;
    std::size_t done = 0;
    for (; done < count; ++done) {
      Node* const first = find<Node>(from[done]);
      Node* const second = find<Node>(to[done]);
      bool const valid = first != nullptr && second != nullptr && first != second && first->graph == graph &&
                         second->graph == graph;
      if (!valid || depends(*first, *second) == add) break;
      (add ? connect : disconnect)(*first, *second);
    }
    if (done == count) return CUDA_SUCCESS;
    while (done-- > 0)
      (add ? disconnect : connect)(*find<Node>(from[done]), *find<Node>(to[done]));
    return CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult find_in_clone(CUgraphNode* out, CUgraphNode original, CUgraph clone) {
  return with_driver([&](Channel&) {
    Node const* const source = find<Node>(original);
    Graph const* const graph = find<Graph>(clone);
    if (out == nullptr || source == nullptr || graph == nullptr || graph->original != source->graph->id)
      return CUDA_ERROR_INVALID_VALUE;
    for (auto const& node : graph->nodes)
      if (node->original == source->id) {
        *out = node->handle;
        return CUDA_SUCCESS;
      }
    return CUDA_ERROR_INVALID_VALUE;
  });
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuGraphCreate(CUgraph* out, unsigned flags) {
  return with_driver([&](Channel&) {
    if (out == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    std::unique_ptr<Graph> graph = make_graph();
    if (!graph) return CUDA_ERROR_OUT_OF_MEMORY;
    *out = graph.release()->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphDestroy(CUgraph handle) {
  return with_driver([&](Channel&) {
    Graph const* const graph = find_root(handle);
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    delete graph;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphClone(CUgraph* out, CUgraph original) {
  return with_driver([&](Channel&) {
    Graph const* const graph = find<Graph>(original);
    if (out == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (has_memory_nodes(*graph)) return CUDA_ERROR_NOT_SUPPORTED;
    std::unique_ptr<Graph> copy = clone(*graph);
    if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
    *out = copy.release()->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphNodeFindInClone(CUgraphNode* out, CUgraphNode original, CUgraph clone) {
  return find_in_clone(out, original, clone);
}

CUresult cuGraphDestroyNode(CUgraphNode handle) {
  return with_driver([&](Channel&) {
    Node* const node = find<Node>(handle);
    if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (node->graph->owner != nullptr) return CUDA_ERROR_INVALID_VALUE; // "from a child graph": not allowed
    if (has_memory_nodes(*node->graph)) return CUDA_ERROR_NOT_SUPPORTED;
    remove_node(*node);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType* type) {
  return with_driver([&](Channel&) {
    Node const* const node = find<Node>(handle);
    if (node == nullptr || type == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *type = type_of(node->work);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode handle, CUgraph* graph) {
  return with_driver([&](Channel&) {
    Node const* const node = find<Node>(handle);
    if (node == nullptr || !node->child || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *graph = node->child->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  return nodes_of(graph, nodes, count, false);
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  return nodes_of(graph, nodes, count, true);
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, std::size_t* count) {
  return edges_of(graph, from, to, nullptr, count);
}
CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                            std::size_t* count) {
  return edges_of(graph, from, to, data, count);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* out, std::size_t* count) {
  return neighbours_of(node, &Node::dependencies, out, nullptr, count);
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* out, CUgraphEdgeData* data,
                                       std::size_t* count) {
  return neighbours_of(node, &Node::dependencies, out, data, count);
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* out, std::size_t* count) {
  return neighbours_of(node, &Node::dependents, out, nullptr, count);
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode* out, CUgraphEdgeData* data,
                                         std::size_t* count) {
  return neighbours_of(node, &Node::dependents, out, data, count);
}

CUresult cuGraphAddDependencies(CUgraph graph, CUgraphNode const* from, CUgraphNode const* to,
                                std::size_t count) {
  return edit_edges(graph, from, to, count, true);
}
CUresult cuGraphAddDependencies_v2(CUgraph graph, CUgraphNode const* from, CUgraphNode const* to,
                                   CUgraphEdgeData const*, std::size_t count) {
  return edit_edges(graph, from, to, count, true);
}
CUresult cuGraphRemoveDependencies(CUgraph graph, CUgraphNode const* from, CUgraphNode const* to,
                                   std::size_t count) {
  return edit_edges(graph, from, to, count, false);
}
CUresult cuGraphRemoveDependencies_v2(CUgraph graph, CUgraphNode const* from, CUgraphNode const* to,
                                      CUgraphEdgeData const*, std::size_t count) {
  return edit_edges(graph, from, to, count, false);
}
