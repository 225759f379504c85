// SPDX-License-Identifier: Apache-2.0
// CUDA Runtime API, "Graph Management": graphs as a whole, their nodes and edges. All handles
// are the driver's.
#include "frontend/cudart/graph_params.h"

using namespace pegasus::cudart;

PEGASUS_API cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return with_context([&](Driver const& driver) { return driver.cuGraphCreate(graph, flags); });
}
PEGASUS_API cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return with_driver([&](Driver const& driver) { return driver.cuGraphDestroy(graph); });
}
PEGASUS_API cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  return with_driver([&](Driver const& driver) { return driver.cuGraphClone(clone, original); });
}
PEGASUS_API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original,
                                                 cudaGraph_t clone) {
  return with_driver(
      [&](Driver const& driver) { return driver.cuGraphNodeFindInClone(node, original, clone); });
}
PEGASUS_API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return with_driver([&](Driver const& driver) { return driver.cuGraphDestroyNode(node); });
}

PEGASUS_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  if (type == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    CUgraphNodeType found = CU_GRAPH_NODE_TYPE_EMPTY;
    CUresult const result = driver.cuGraphNodeGetType(node, &found);
    *type = static_cast<cudaGraphNodeType>(found); // the same numbers
    return result;
  });
}

PEGASUS_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return with_driver([&](Driver const& driver) { return driver.cuGraphGetNodes(graph, nodes, count); });
}
PEGASUS_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return with_driver([&](Driver const& driver) { return driver.cuGraphGetRootNodes(graph, nodes, count); });
}
PEGASUS_API cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                          cudaGraphEdgeData* data, std::size_t* count) {
  return with_driver(
      [&](Driver const& driver) { return driver.cuGraphGetEdges_v2(graph, from, to, edges(data), count); });
}
PEGASUS_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                     cudaGraphEdgeData* data, std::size_t* count) {
  return with_driver([&](Driver const& driver) {
    return driver.cuGraphNodeGetDependencies_v2(node, nodes, edges(data), count);
  });
}
PEGASUS_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                       cudaGraphEdgeData* data, std::size_t* count) {
  return with_driver([&](Driver const& driver) {
    return driver.cuGraphNodeGetDependentNodes_v2(node, nodes, edges(data), count);
  });
}
PEGASUS_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, cudaGraphNode_t const* from,
                                                 cudaGraphNode_t const* to, cudaGraphEdgeData const* data,
                                                 std::size_t count) {
  return with_driver([&](Driver const& driver) {
    return driver.cuGraphAddDependencies_v2(graph, from, to, edges(data), count);
  });
}
PEGASUS_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, cudaGraphNode_t const* from,
                                                    cudaGraphNode_t const* to, cudaGraphEdgeData const* data,
                                                    std::size_t count) {
  return with_driver([&](Driver const& driver) {
    return driver.cuGraphRemoveDependencies_v2(graph, from, to, edges(data), count);
  });
}
PEGASUS_API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return with_driver([&](Driver const& driver) { return driver.cuGraphChildGraphNodeGetGraph(node, graph); });
}
