// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/graph/graph.h"

#include "frontend/cuda/graph/testing/nodes.h"

#include <cstring>

using namespace pegasus::driver::testing;

namespace {

std::vector<CUgraphNode> nodes_of(CUgraph graph) {
  std::size_t count = 0;
  REQUIRE(cuGraphGetNodes(graph, nullptr, &count) == CUDA_SUCCESS);
  std::vector<CUgraphNode> nodes(count);
  REQUIRE(cuGraphGetNodes(graph, nodes.data(), &count) == CUDA_SUCCESS);
  return nodes;
}

std::size_t edges_of(CUgraph graph) {
  std::size_t count = 0;
  REQUIRE(cuGraphGetEdges(graph, nullptr, nullptr, &count) == CUDA_SUCCESS);
  return count;
}

} // namespace

TEST_CASE_METHOD(GraphFixture, "nodes and edges are listed as they were made") {
  auto const a = add_kernel();
  auto const b = add_kernel(1, {a});
  auto const c = add_kernel(1, {a, b});
  CHECK(nodes_of(graph) == std::vector{a, b, c});
  std::size_t count = 5;
  CUgraphNode found[5] = {a, a, a, a, a};
  CHECK(cuGraphGetRootNodes(graph, found, &count) == CUDA_SUCCESS);
  CHECK(count == 1);
  CHECK(found[0] == a);
  CHECK(found[1] == nullptr); // "the remaining entries will be set to NULL"
  CUgraphNode from[3], to[3];
  CUgraphEdgeData data[3];
  std::memset(data, 0xff, sizeof data);
  count = 3;
  CHECK(cuGraphGetEdges_v2(graph, from, to, data, &count) == CUDA_SUCCESS);
  CHECK(count == 3);
  CHECK((from[0] == a && to[0] == b && from[1] == a && to[1] == c && from[2] == b && to[2] == c));
  CHECK(data[2].type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT);
  count = 1; // room for one of two
  CHECK(cuGraphNodeGetDependencies(c, found, &count) == CUDA_SUCCESS);
  CHECK((count == 1 && found[0] == a));
  CHECK(cuGraphNodeGetDependentNodes_v2(a, nullptr, nullptr, &count) == CUDA_SUCCESS);
  CHECK(count == 2);
  CHECK(cuGraphGetNodes(graph, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGraphGetEdges(graph, from, nullptr, &count) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(GraphFixture, "edges are added and removed, all of a call or none") {
  auto const a = add_kernel();
  auto const b = add_kernel();
  auto const c = add_kernel();
  CUgraphNode from[] = {a, b};
  CUgraphNode to[] = {b, c};
  CHECK(cuGraphAddDependencies(graph, from, to, 2) == CUDA_SUCCESS);
  CHECK(edges_of(graph) == 2);
  CUgraphNode again_from[] = {a, a};
  CUgraphNode again_to[] = {c, b}; // the second edge exists
  CHECK(cuGraphAddDependencies_v2(graph, again_from, again_to, nullptr, 2) == CUDA_ERROR_INVALID_VALUE);
  CHECK(edges_of(graph) == 2);
  CHECK(cuGraphAddDependencies(graph, &a, &a, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGraphRemoveDependencies(graph, from, to, 1) == CUDA_SUCCESS);
  CHECK(cuGraphRemoveDependencies_v2(graph, from, to, nullptr, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(edges_of(graph) == 1);
  CHECK(cuGraphDestroyNode(b) == CUDA_SUCCESS); // also destroys its edges
  CHECK(edges_of(graph) == 0);
  CHECK(nodes_of(graph) == std::vector{a, c});
  CHECK(cuGraphDestroyNode(b) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(GraphFixture, "dependencies are nodes of the graph, each once") {
  auto const a = add_kernel();
  CUgraph other = nullptr;
  REQUIRE(cuGraphCreate(&other, 0) == CUDA_SUCCESS);
  CUgraphNode const twice[] = {a, a};
  CUgraphNode node = nullptr;
  CHECK(cuGraphAddEmptyNode(&node, graph, twice, 2) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGraphAddEmptyNode(&node, other, &a, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGraphAddEmptyNode(&node, graph, nullptr, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGraphAddEmptyNode(nullptr, graph, nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGraphAddEmptyNode(&node, nullptr, nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGraphDestroy(other) == CUDA_SUCCESS);
  CHECK(cuGraphDestroy(other) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGraphCreate(&other, 1) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(GraphFixture, "what a plain call refuses, a node refuses") {
  CUdeviceptr const memory = allocate(64);
  CUgraphNode node = nullptr;
  auto kernel_node = launch_of(empty, 0);
  CHECK(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &kernel_node) == CUDA_ERROR_INVALID_VALUE);
  kernel_node = launch_of(kernel("take_int_pointer")); // without its parameters
  CHECK(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &kernel_node) == CUDA_ERROR_INVALID_VALUE);
  kernel_node = launch_of(reinterpret_cast<CUfunction>(graph));
  CHECK(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &kernel_node) == CUDA_ERROR_INVALID_HANDLE);
  kernel_node = launch_of(kernel("bounded"));
  kernel_node.blockDimX = 65;
  CHECK(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &kernel_node) ==
        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  auto copy = device_copy(memory + 32, memory, 33);
  CHECK(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context) == CUDA_ERROR_INVALID_VALUE);
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  CHECK(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context) == CUDA_ERROR_INVALID_HANDLE);
  for (CUDA_MEMSET_NODE_PARAMS const& fill :
       {CUDA_MEMSET_NODE_PARAMS{memory, 0, 1, 3, 1, 1}, CUDA_MEMSET_NODE_PARAMS{memory, 0, 1, 4, 17, 1},
        CUDA_MEMSET_NODE_PARAMS{memory + 1, 0, 1, 4, 1, 1}})
    CHECK(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, context) == CUDA_ERROR_INVALID_VALUE);
  CUDA_HOST_NODE_PARAMS const host{};
  CHECK(cuGraphAddHostNode(&node, graph, nullptr, 0, &host) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGraphAddEventRecordNode(&node, graph, nullptr, 0, nullptr) == CUDA_ERROR_INVALID_HANDLE);
  CUgraphNodeParams generic{};
  generic.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  CHECK(cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &generic) == CUDA_ERROR_NOT_SUPPORTED);
  generic.type = static_cast<CUgraphNodeType>(15);
  CHECK(cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &generic) == CUDA_ERROR_INVALID_VALUE);
  CHECK(nodes_of(graph).empty());
}

TEST_CASE_METHOD(GraphFixture, "a node's parameters are read back and set, its type stays") {
  CUfunction const f = kernel("take_int_pointer");
  int number = 5;
  CUdeviceptr pointer = 0x1234;
  void* parameters[] = {&number, &pointer};
  auto params = launch_of(f, 2, parameters);
  CUgraphNode node = nullptr;
  REQUIRE(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params) == CUDA_SUCCESS);
  number = 6; // the value was copied when the node was added
  CUDA_KERNEL_NODE_PARAMS_v2 got{};
  REQUIRE(cuGraphKernelNodeGetParams_v2(node, &got) == CUDA_SUCCESS);
  CHECK((got.func == f && got.gridDimX == 2 && got.extra == nullptr));
  CHECK(*static_cast<int*>(got.kernelParams[0]) == 5);
  CHECK(*static_cast<CUdeviceptr*>(got.kernelParams[1]) == 0x1234);
  params.gridDimX = 9;
  CHECK(cuGraphKernelNodeSetParams_v2(node, &params) == CUDA_SUCCESS);
  CUDA_KERNEL_NODE_PARAMS_v1 old{};
  REQUIRE(cuGraphKernelNodeGetParams(node, &old) == CUDA_SUCCESS);
  CHECK((old.gridDimX == 9 && *static_cast<int*>(old.kernelParams[0]) == 6));
  CUDA_MEMSET_NODE_PARAMS fill{};
  CHECK(cuGraphMemsetNodeGetParams(node, &fill) == CUDA_ERROR_INVALID_VALUE);
  fill = {allocate(4), 0, 1, 4, 1, 1};
  CHECK(cuGraphMemsetNodeSetParams(node, &fill) == CUDA_ERROR_INVALID_VALUE);
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  CHECK(cuGraphNodeGetType(node, &type) == CUDA_SUCCESS);
  CHECK(type == CU_GRAPH_NODE_TYPE_KERNEL);

  CUevent const first = event();
  CUevent const second = event();
  CUevent seen = nullptr;
  REQUIRE(cuGraphAddEventWaitNode(&node, graph, nullptr, 0, first) == CUDA_SUCCESS);
  CHECK(cuGraphEventWaitNodeSetEvent(node, second) == CUDA_SUCCESS);
  CHECK(cuGraphEventWaitNodeGetEvent(node, &seen) == CUDA_SUCCESS);
  CHECK(seen == second);
  CHECK(cuGraphEventRecordNodeGetEvent(node, &seen) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(GraphFixture, "clones and child graphs are copies of their own") {
  auto const a = add_kernel(1);
  auto const b = add_kernel(2, {a});
  CUgraph copy = nullptr;
  REQUIRE(cuGraphClone(&copy, graph) == CUDA_SUCCESS);
  CUgraphNode found = nullptr;
  REQUIRE(cuGraphNodeFindInClone(&found, b, copy) == CUDA_SUCCESS);
  CHECK(nodes_of(copy)[1] == found);
  CHECK(edges_of(copy) == 1);
  CHECK(cuGraphNodeFindInClone(&found, b, graph) == CUDA_ERROR_INVALID_VALUE);
  CUgraphNode child = nullptr;
  REQUIRE(cuGraphAddChildGraphNode(&child, graph, &b, 1, copy) == CUDA_SUCCESS);
  REQUIRE(cuGraphDestroy(copy) == CUDA_SUCCESS);
  CHECK(cuGraphNodeFindInClone(&found, b, copy) == CUDA_ERROR_INVALID_VALUE);
  CUgraph within = nullptr;
  REQUIRE(cuGraphChildGraphNodeGetGraph(child, &within) == CUDA_SUCCESS);
  CHECK(nodes_of(within).size() == 2);
  CHECK(cuGraphDestroy(within) == CUDA_ERROR_INVALID_VALUE); // the node owns it
  CHECK(cuGraphDestroyNode(nodes_of(within)[0]) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGraphDestroyNode(child) == CUDA_SUCCESS);
  CHECK(cuGraphGetNodes(within, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  std::size_t count = 0;
  CHECK(cuGraphGetNodes(within, nullptr, &count) == CUDA_ERROR_INVALID_VALUE); // destroyed with the node
}
