// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/graph/graph_memory.h"

#include "frontend/cuda/graph/testing/captures.h"

using namespace pegasus::driver::testing;

namespace {

constexpr std::size_t bytes = 4096;

struct MemoryFixture : CaptureFixture {
  CUdeviceptr address = 0;
  CUgraphNode allocation = add_allocation();

  CUgraphNode add_allocation() {
    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.bytesize = bytes;
    CUgraphNode node = nullptr;
    REQUIRE(cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &params) == CUDA_SUCCESS);
    address = params.dptr;
    return node;
  }
  CUgraphNode add_fill(unsigned value, CUgraphNode before) const {
    CUDA_MEMSET_NODE_PARAMS const fill{address, 0, value, 4, 4, 1};
    CUgraphNode node = nullptr;
    REQUIRE(cuGraphAddMemsetNode(&node, graph, &before, 1, &fill, context) == CUDA_SUCCESS);
    return node;
  }
  [[nodiscard]] CUgraphExec instantiate(CUgraph of, unsigned long long flags = 0) const {
    CUgraphExec exec = nullptr;
    REQUIRE(cuGraphInstantiateWithFlags(&exec, of, flags) == CUDA_SUCCESS);
    return exec;
  }
  [[nodiscard]] static cuuint64_t total(CUgraphMem_attribute attribute) {
    cuuint64_t value = 0;
    REQUIRE(cuDeviceGetGraphMemAttribute(0, attribute, &value) == CUDA_SUCCESS);
    return value;
  }
};

} // namespace

TEST_CASE_METHOD(MemoryFixture, "memory that a graph allocates and frees is its own") {
  CUgraphNode const fill = add_fill(7, allocation);
  CUgraphNode free = nullptr, again = nullptr;
  REQUIRE(cuGraphAddMemFreeNode(&free, graph, &fill, 1, address) == CUDA_SUCCESS);
  CHECK(cuGraphAddMemFreeNode(&again, graph, &fill, 1, address) == CUDA_ERROR_INVALID_VALUE);
  CUgraphExec const exec = instantiate(graph);
  for (int launch = 0; launch < 2; ++launch)
    CHECK(cuGraphLaunch(exec, origin) == CUDA_SUCCESS);
  std::uint32_t word = 0;
  CHECK(cuMemcpyDtoH_v2(&word, address, 4) == CUDA_SUCCESS);
  CHECK(word == 7);
  CHECK(cuMemFreeAsync(address, origin) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemFree_v2(address) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
  CHECK(device.memory.contains(address)); // the graph has it still
  CHECK(cuGraphDestroy(graph) == CUDA_SUCCESS);
  CHECK_FALSE(device.memory.contains(address));
}

TEST_CASE_METHOD(MemoryFixture, "memory that a graph leaves allocated is freed before the next launch") {
  bool const by_itself = GENERATE(false, true);
  CUgraphExec const exec =
      instantiate(graph, by_itself ? CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH : 0);
  CHECK(cuGraphLaunch(exec, origin) == CUDA_SUCCESS);
  CHECK(cuGraphLaunch(exec, origin) == (by_itself ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE));
  CHECK(cuMemFreeAsync(address, origin) == CUDA_SUCCESS);
  CHECK(cuMemFreeAsync(address, origin) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGraphLaunch(exec, origin) == CUDA_SUCCESS);
  CHECK(cuMemFree_v2(address) == CUDA_SUCCESS);
  CHECK(cuGraphLaunch(exec, origin) == CUDA_SUCCESS);
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
  CHECK(cuGraphDestroy(graph) == CUDA_SUCCESS);
  CHECK(device.memory.contains(address)); // the program has it still
  CHECK(cuMemFreeAsync(address, origin) == CUDA_SUCCESS);
  CHECK_FALSE(device.memory.contains(address));
}

TEST_CASE_METHOD(MemoryFixture, "another graph frees what a graph left allocated") {
  CUgraph other = nullptr;
  CUgraphNode free = nullptr;
  REQUIRE(cuGraphCreate(&other, 0) == CUDA_SUCCESS);
  REQUIRE(cuGraphAddMemFreeNode(&free, other, nullptr, 0, address) == CUDA_SUCCESS);
  CUgraphExec const makes = instantiate(graph), frees = instantiate(other);
  CHECK(cuGraphLaunch(frees, origin) == CUDA_ERROR_INVALID_VALUE);
  for (int round = 0; round < 2; ++round) {
    CHECK(cuGraphLaunch(makes, origin) == CUDA_SUCCESS);
    CHECK(cuGraphLaunch(frees, origin) == CUDA_SUCCESS);
  }
  CHECK(cuGraphExecDestroy(makes) == CUDA_SUCCESS);
  CHECK(cuGraphExecDestroy(frees) == CUDA_SUCCESS);
  CHECK(cuGraphDestroy(other) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(MemoryFixture, "there is one memory for each node: such a graph is not copied or cut down") {
  CUgraph copy = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec second = nullptr;
  CUgraphNode const fill = add_fill(7, allocation);
  CHECK(cuGraphClone(&copy, graph) == CUDA_ERROR_NOT_SUPPORTED);
  REQUIRE(cuGraphCreate(&copy, 0) == CUDA_SUCCESS);
  CHECK(cuGraphAddChildGraphNode(&node, copy, nullptr, 0, graph) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(cuGraphDestroyNode(allocation) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(cuGraphRemoveDependencies(graph, &allocation, &fill, 1) == CUDA_ERROR_NOT_SUPPORTED);
  CUgraphExec const exec = instantiate(graph);
  CHECK(cuGraphInstantiateWithFlags(&second, graph, 0) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
  CHECK(cuGraphExecDestroy(instantiate(graph)) == CUDA_SUCCESS);
  CHECK(cuGraphDestroy(copy) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(MemoryFixture, "allocations and frees of a stream are captured") {
  CUdeviceptr made = 0, plain = allocate(16);
  begin();
  CHECK(cuMemFreeAsync(plain, origin) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(cuMemAllocAsync(&made, bytes, origin) == CUDA_SUCCESS);
  CHECK(cuMemsetD32Async(made, 9, 4, origin) == CUDA_SUCCESS);
  CHECK(cuMemFreeAsync(made, origin) == CUDA_SUCCESS);
  REQUIRE(end() == CUDA_SUCCESS);
  CHECK(nodes() == 3);
  CHECK(edges() == 2);
  CUgraphExec const exec = instantiate(captured);
  CHECK(cuGraphLaunch(exec, origin) == CUDA_SUCCESS);
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
  CHECK(cuMemFree_v2(plain) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(MemoryFixture, "a capture does not free memory twice") {
  CUdeviceptr made = 0;
  begin();
  REQUIRE(cuMemAllocAsync(&made, bytes, origin) == CUDA_SUCCESS);
  CHECK(cuMemFreeAsync(made, origin) == CUDA_SUCCESS);
  CHECK(cuMemFreeAsync(made, origin) == CUDA_SUCCESS);
  REQUIRE(end() == CUDA_SUCCESS);
  CUgraphExec exec = nullptr;
  CHECK(cuGraphInstantiateWithFlags(&exec, captured, 0) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(MemoryFixture, "memory nodes tell their parameters, and the device what graphs have") {
  CUDA_MEM_ALLOC_NODE_PARAMS params{};
  CHECK(cuGraphMemAllocNodeGetParams(allocation, &params) == CUDA_SUCCESS);
  CHECK((params.dptr == address && params.bytesize == bytes));
  CUgraphNodeParams any{};
  any.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
  any.free.dptr = address;
  CUgraphNode free = nullptr, more = nullptr;
  REQUIRE(cuGraphAddNode_v2(&free, graph, &allocation, nullptr, 1, &any) == CUDA_SUCCESS);
  CUdeviceptr freed = 0;
  CHECK(cuGraphMemFreeNodeGetParams(free, &freed) == CUDA_SUCCESS);
  CHECK(freed == address);
  CUgraphNodeType type{};
  CHECK(cuGraphNodeGetType(free, &type) == CUDA_SUCCESS);
  CHECK(type == CU_GRAPH_NODE_TYPE_MEM_FREE);
  any = {};
  any.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  any.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  any.alloc.bytesize = 16;
  REQUIRE(cuGraphAddNode_v2(&more, graph, nullptr, nullptr, 0, &any) == CUDA_SUCCESS);
  CHECK(any.alloc.dptr != 0);
  CHECK(total(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) == bytes + 16);
  CHECK(total(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT) == 0);
  CUgraphExec const exec = instantiate(graph);
  CHECK(cuGraphLaunch(exec, origin) == CUDA_SUCCESS);
  CHECK(total(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT) == 16);
  CHECK(total(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) == bytes + 16);
  cuuint64_t zero = 0;
  CHECK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero) == CUDA_SUCCESS);
  CHECK(total(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) == 16);
  CHECK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &zero) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
  any.alloc.poolProps.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CHECK(cuGraphAddNode_v2(&more, graph, nullptr, nullptr, 0, &any) == CUDA_ERROR_NOT_SUPPORTED);
}

TEST_CASE_METHOD(MemoryFixture,
                 "what a graph had with an older context is not taken for what has its address now") {
  CUgraphExec const exec = instantiate(graph);
  CHECK(cuGraphLaunch(exec, origin) == CUDA_SUCCESS);
  CHECK(cuCtxDestroy_v2(context) == CUDA_SUCCESS);
  REQUIRE(cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS);
  device.memory[address].resize(16);
  device.next_allocation = address;
  CUdeviceptr again = 0;
  REQUIRE(cuMemAlloc_v2(&again, 16) == CUDA_SUCCESS);
  CUgraphNode free = nullptr;
  CHECK(cuGraphAddMemFreeNode(&free, graph, nullptr, 0, again) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemFree_v2(again) == CUDA_SUCCESS);
  CHECK_FALSE(device.memory.contains(address));
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(MemoryFixture, "memory of graphs is gone with its context") {
  CHECK(cuCtxDestroy_v2(context) == CUDA_SUCCESS);
  REQUIRE(cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS);
  CHECK(cuGraphDestroy(graph) == CUDA_SUCCESS);
  CHECK(cuMemFree_v2(address) == CUDA_ERROR_INVALID_VALUE);
}
