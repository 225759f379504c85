// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/graph/graph_exec.h"

#include "frontend/cuda/graph/testing/nodes.h"

#include <utility>

using namespace pegasus::driver::testing;

namespace {

Posts const one_packet{PEGASUS_CALL_GRAPH_LAUNCH};

} // namespace

TEST_CASE_METHOD(GraphFixture, "a graph of kernels, memsets and device copies is one packet a launch") {
  CUdeviceptr const memory = allocate(64);
  auto const fill = add_fill(memory, 77);
  auto const copy = add_copy(device_copy(memory + 32, memory, 4), {fill});
  auto const kernel_node = add_kernel(3, {copy});
  CUgraphNode child = nullptr;
  CUgraph inner = nullptr;
  REQUIRE(cuGraphCreate(&inner, 0) == CUDA_SUCCESS);
  add_kernel(5, {}, inner);
  REQUIRE(cuGraphAddChildGraphNode(&child, graph, &kernel_node, 1, inner) == CUDA_SUCCESS);
  REQUIRE(cuGraphDestroy(inner) == CUDA_SUCCESS);
  CUgraphExec const exec = instantiate();
  CHECK(device.launches.empty());
  CHECK(word(memory) == 0);
  CHECK(launch(exec) == one_packet);
  CHECK(word(memory + 32) == 77);
  REQUIRE(device.launches.size() == 2);
  CHECK(device.launches[0].request.grid[0] == 3);
  CHECK(device.launches[1].request.grid[0] == 5);
  for (int i = 0; i < 100; ++i)
    CHECK(launch(exec) == one_packet);
  CHECK(device.launches.size() == 202);
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
  CHECK(device.graphs.empty());
  CHECK(cuGraphLaunch(exec, nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(GraphFixture, "large parameters arrive, and those of the time when the node was made") {
  std::vector<std::uint64_t> values(512, 3);
  std::vector<void*> parameters;
  for (auto& value : values)
    parameters.push_back(&value);
  auto const params = launch_of(kernel("big"), 1, parameters.data());
  CUgraphNode node = nullptr;
  REQUIRE(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params) == CUDA_SUCCESS);
  CUgraphExec const exec = instantiate();
  CHECK(launch(exec) == one_packet);
  REQUIRE(device.launches.size() == 1);
  auto const expected = std::as_bytes(std::span(values));
  CHECK(std::equal(expected.begin(), expected.end(), device.launches[0].parameters.begin(),
                   device.launches[0].parameters.end()));
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(GraphFixture, "what the host does comes in its place") {
  CUdeviceptr const memory = allocate(64);
  struct Seen {
    GraphFixture* test;
    std::size_t launches;
    unsigned host;
    unsigned host_seen;
  } seen{this, 0, 0, 0};
  auto const look = [](void* data) {
    auto& s = *static_cast<Seen*>(data);
    s.launches = s.test->device.launches.size();
    s.host_seen = s.host;
  };
  auto const first = add_kernel();
  auto const fill = add_fill(memory, 42, {first});
  auto const down = add_copy(to_host(&seen.host, memory, 4), {fill});
  auto const host = add_host(look, &seen, {down});
  auto const record = event();
  CUgraphNode recorded = nullptr, waited = nullptr;
  REQUIRE(cuGraphAddEventRecordNode(&recorded, graph, &host, 1, record) == CUDA_SUCCESS);
  REQUIRE(cuGraphAddEventWaitNode(&waited, graph, &recorded, 1, record) == CUDA_SUCCESS);
  add_kernel(1, {waited});
  CUgraphExec const exec = instantiate();
  unsigned const synchronizations = device.synchronizations;
  CHECK(launch(exec) == Posts{PEGASUS_CALL_GRAPH_LAUNCH, PEGASUS_CALL_EVENT_RECORD,
                              PEGASUS_CALL_STREAM_WAIT_EVENT, PEGASUS_CALL_GRAPH_LAUNCH});
  CHECK(seen.host_seen == 42);
  CHECK(seen.launches == 1);
  CHECK(device.launches.size() == 2);
  CHECK(device.synchronizations == synchronizations + 1); // before the host function
  device.next_status = CUDA_ERROR_UNKNOWN;
  seen.launches = 99;
  CHECK(cuGraphLaunch(exec, nullptr) == CUDA_ERROR_UNKNOWN);
  CHECK(seen.launches == 99); // not called after a failure
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(GraphFixture, "a cycle cannot be executed") {
  auto const a = add_kernel();
  auto const b = add_kernel(1, {a});
  REQUIRE(cuGraphAddDependencies(graph, &b, &a, 1) == CUDA_SUCCESS);
  CUgraphExec exec = nullptr;
  CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_ERROR_INVALID_VALUE);
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  CHECK(cuGraphInstantiateWithParams(&exec, graph, &params) == CUDA_ERROR_INVALID_VALUE);
  CHECK(params.result_out == CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
  CHECK(cuGraphInstantiateWithFlags(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) ==
        CUDA_ERROR_NOT_SUPPORTED);
  CHECK(cuGraphInstantiateWithFlags(&exec, graph, 1u << 20) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(GraphFixture, "a copy's unified address is what it was when the node was made") {
  unsigned host = 7;
  CUdeviceptr const memory = allocate(64);
  CUDA_MEMCPY3D down = device_copy(reinterpret_cast<CUdeviceptr>(&host), memory, 4);
  down.dstMemoryType = down.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  CUDA_MEMCPY3D up = down;
  std::swap(up.dstDevice, up.srcDevice);
  auto const first = add_copy(up);
  add_copy(down, {first});
  CUgraphExec const exec = instantiate();
  (void)launch(exec);
  CHECK(word(memory) == 7);
  REQUIRE(cuMemFree_v2(memory) == CUDA_SUCCESS);
  CHECK(cuGraphLaunch(exec, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
  CUgraphExec none = nullptr;
  CHECK(cuGraphInstantiateWithFlags(&none, graph, 0) == CUDA_ERROR_INVALID_VALUE);

  CUstream const captured = stream();
  CUdeviceptr const other = allocate(64);
  up.dstDevice = other;
  REQUIRE(cuStreamBeginCapture_v2(captured, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  REQUIRE(cuMemcpy3DAsync_v2(&up, captured) == CUDA_SUCCESS);
  CUgraph made = nullptr;
  REQUIRE(cuStreamEndCapture(captured, &made) == CUDA_SUCCESS);
  REQUIRE(cuMemFree_v2(other) == CUDA_SUCCESS);
  CHECK(cuGraphInstantiateWithFlags(&none, made, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGraphDestroy(made) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(GraphFixture, "what became wrong since the node was made is found, and named, at the end") {
  CUdeviceptr const memory = allocate(64);
  add_kernel();
  auto const fill = add_fill(memory, 1);
  REQUIRE(cuMemFree_v2(memory) == CUDA_SUCCESS);
  CUgraphExec exec = nullptr;
  CUgraphNode wrong = nullptr;
  CHECK(cuGraphInstantiate_v2(&exec, graph, &wrong, nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(wrong == fill);
  CHECK(device.graphs.empty());
  REQUIRE(cuGraphDestroyNode(fill) == CUDA_SUCCESS);
  device.graph_status = CUDA_ERROR_OUT_OF_MEMORY; // the worker cannot store more
  CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_ERROR_OUT_OF_MEMORY);
  CHECK(device.graphs.empty());
}

TEST_CASE_METHOD(GraphFixture,
                 "a change is sent once, before the next launch, and does not touch the graph") {
  CUdeviceptr const memory = allocate(64);
  auto const node = add_kernel(3);
  auto const fill = add_fill(memory, 1, {node});
  CUgraphExec const exec = instantiate();
  auto params = launch_of(empty, 8);
  CHECK(cuGraphExecKernelNodeSetParams_v2(exec, node, &params) == CUDA_SUCCESS);
  CHECK(launch(exec) == Posts{PEGASUS_CALL_GRAPH_DESTROY, PEGASUS_CALL_GRAPH_ADD, PEGASUS_CALL_GRAPH_ADD,
                              PEGASUS_CALL_GRAPH_LAUNCH});
  CHECK(device.launches.back().request.grid[0] == 8);
  CHECK(launch(exec) == one_packet);
  CUDA_KERNEL_NODE_PARAMS_v2 got{};
  CHECK(cuGraphKernelNodeGetParams_v2(node, &got) == CUDA_SUCCESS);
  CHECK(got.gridDimX == 3);

  params.gridDimX = 0;
  CHECK(cuGraphExecKernelNodeSetParams_v2(exec, node, &params) == CUDA_ERROR_INVALID_VALUE);
  params.gridDimX = 1;
  CHECK(cuGraphExecKernelNodeSetParams_v2(exec, fill, &params) == CUDA_ERROR_INVALID_VALUE);
  auto const later = add_kernel(); // not in the executable graph
  CHECK(cuGraphExecKernelNodeSetParams_v2(exec, later, &params) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(exec) == one_packet);

  CHECK(cuGraphNodeSetEnabled(exec, node, 0) == CUDA_SUCCESS);
  unsigned enabled = 1;
  CHECK(cuGraphNodeGetEnabled(exec, node, &enabled) == CUDA_SUCCESS);
  CHECK(enabled == 0);
  std::size_t const before = device.launches.size();
  (void)launch(exec);
  CHECK(device.launches.size() == before);
  CHECK(cuGraphNodeSetEnabled(exec, fill, 0) == CUDA_SUCCESS);
  (void)launch(exec);
  CHECK(launch(exec).empty()); // nothing is left to do
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(GraphFixture, "an update takes over the work of an equal graph, and of no other") {
  CUdeviceptr const memory = allocate(64);
  unsigned host = 0;
  auto const a = add_kernel(1);
  auto const b = add_fill(memory, 1, {a});
  auto const c = add_copy(to_host(&host, memory, 4), {b});
  CUgraphExec const exec = instantiate();
  CUgraph other = nullptr;
  REQUIRE(cuGraphClone(&other, graph) == CUDA_SUCCESS);
  CUgraphNode in_other = nullptr;
  REQUIRE(cuGraphNodeFindInClone(&in_other, b, other) == CUDA_SUCCESS);
  CUDA_MEMSET_NODE_PARAMS const two{memory, 0, 2, 4, 1, 1};
  REQUIRE(cuGraphMemsetNodeSetParams(in_other, &two) == CUDA_SUCCESS);
  CUgraphExecUpdateResultInfo info{};
  CHECK(cuGraphExecUpdate_v2(exec, other, &info) == CUDA_SUCCESS);
  CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
  (void)launch(exec);
  CHECK(host == 2);

  REQUIRE(cuGraphNodeFindInClone(&in_other, c, other) == CUDA_SUCCESS);
  auto const within_device = device_copy(memory + 8, memory, 4);
  REQUIRE(cuGraphMemcpyNodeSetParams(in_other, &within_device) == CUDA_SUCCESS);
  CHECK(cuGraphExecUpdate_v2(exec, other, &info) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
  CHECK(info.errorNode == in_other);
  CHECK(cuGraphExecMemcpyNodeSetParams(exec, c, &within_device, context) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(cuGraphDestroyNode(in_other) == CUDA_SUCCESS);
  CHECK(cuGraphExecUpdate_v2(exec, other, &info) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  CUgraphNode last = nullptr;
  REQUIRE(cuGraphNodeFindInClone(&in_other, b, other) == CUDA_SUCCESS);
  REQUIRE(cuGraphAddEmptyNode(&last, other, &in_other, 1) == CUDA_SUCCESS);
  CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
  CHECK(cuGraphExecUpdate(exec, other, &last, &result) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  CHECK(result == CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
  host = 0;
  (void)launch(exec);
  CHECK(host == 2); // refused updates changed nothing
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
  CHECK(cuGraphDestroy(other) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(GraphFixture, "a launch is behind the one before, in whatever stream that was") {
  add_kernel();
  CUgraphExec const exec = instantiate();
  CUstream const first = stream();
  CUstream const second = stream();
  CHECK(launch(exec, first) == one_packet);
  CHECK(launch(exec, first) == one_packet);
  Posts const ordered{PEGASUS_CALL_EVENT_RECORD, PEGASUS_CALL_STREAM_WAIT_EVENT, PEGASUS_CALL_GRAPH_LAUNCH};
  CHECK(launch(exec, second) == ordered);
  CHECK(launch(exec, first) == ordered);
  REQUIRE(cuStreamDestroy_v2(first) == CUDA_SUCCESS);
  unsigned const synchronizations = device.synchronizations;
  CHECK(launch(exec, second) == one_packet); // no event exists to record: it waited
  CHECK(device.synchronizations == synchronizations + 1);
  unsigned const events = device.events;
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
  CHECK(device.events == events - 1);
}

TEST_CASE_METHOD(GraphFixture, "an executable graph outlives its graph, and not its functions") {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  REQUIRE(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS);
  REQUIRE(cuModuleGetFunction(&function, module, "empty") == CUDA_SUCCESS);
  auto const params = launch_of(function);
  CUgraphNode node = nullptr;
  REQUIRE(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params) == CUDA_SUCCESS);
  CUgraphExec const exec = instantiate();
  CUgraph const rest = std::exchange(graph, nullptr);
  REQUIRE(cuGraphDestroy(rest) == CUDA_SUCCESS);
  CHECK(launch(exec) == one_packet);
  REQUIRE(cuModuleUnload(module) == CUDA_SUCCESS);
  // Also destroys the device context and the worker's graphs.
  REQUIRE(cuCtxDestroy_v2(context) == CUDA_SUCCESS);
  REQUIRE(cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS);
  CHECK(cuGraphLaunch(exec, nullptr) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(device.graphs.empty());
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(GraphFixture, "more nodes than a worker's graph may have are several packets") {
  constexpr unsigned slices = PEGASUS_GRAPH_NODES_MAX / 2;
  CUdeviceptr const memory = allocate(2 * slices);
  for (unsigned i = 0; i < 3; ++i) {
    CUDA_MEMCPY3D copy = device_copy(memory, memory + slices, 1);
    copy.Depth = slices; // of one byte
    copy.srcHeight = copy.dstHeight = copy.srcPitch = copy.dstPitch = 1;
    add_copy(copy);
  }
  CUgraphExec const exec = instantiate();
  CHECK(launch(exec) == Posts{PEGASUS_CALL_GRAPH_LAUNCH, PEGASUS_CALL_GRAPH_LAUNCH});
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
}
