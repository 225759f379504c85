// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/graph/capture.h"

#include "frontend/cuda/graph/testing/captures.h"

using namespace pegasus::driver::testing;

TEST_CASE_METHOD(CaptureFixture, "what is done in a captured stream becomes nodes, one behind the other") {
  CUdeviceptr const memory = allocate(64);
  unsigned host = 5;
  device.posts.clear();
  begin();
  CHECK(status(origin) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CHECK(launch_in(origin, 7) == CUDA_SUCCESS);
  CHECK(cuMemsetD32Async(memory, 9, 1, origin) == CUDA_SUCCESS);
  CHECK(cuMemcpyDtoDAsync_v2(memory + 4, memory, 4, origin) == CUDA_SUCCESS);
  CHECK(cuMemcpyDtoHAsync_v2(&host, memory + 4, 4, origin) == CUDA_SUCCESS);
  CHECK(cuLaunchHostFunc(
            origin, [](void* data) { *static_cast<unsigned*>(data) += 1; }, &host) == CUDA_SUCCESS);
  CUDA_MEMCPY3D box = device_copy(memory + 16, memory, 4);
  box.Depth = 2;
  box.srcHeight = box.dstHeight = 1;
  box.srcPitch = box.dstPitch = 8;
  CHECK(cuMemcpy3DAsync_v2(&box, origin) == CUDA_SUCCESS); // one node, though two copies
  CHECK(device.posts.empty());
  CHECK(host == 5);
  REQUIRE(end() == CUDA_SUCCESS);
  CHECK(nodes() == 6);
  CHECK(edges() == 5);
  CHECK(status(origin) == CU_STREAM_CAPTURE_STATUS_NONE);
  CUgraphExec exec = nullptr;
  REQUIRE(cuGraphInstantiateWithFlags(&exec, captured, 0) == CUDA_SUCCESS);
  CHECK(launch(exec, origin) == Posts{PEGASUS_CALL_GRAPH_LAUNCH, PEGASUS_CALL_GRAPH_LAUNCH});
  CHECK(host == 10);
  CHECK(device.launches.back().request.grid[0] == 7);
  CHECK(word(memory + 16) == 9);
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(CaptureFixture, "what a plain call refuses is refused, and the capture goes on") {
  begin();
  CHECK(launch_in(origin, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemsetD32Async(0x10, 1, 1, origin) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch_in(origin) == CUDA_SUCCESS);
  REQUIRE(end() == CUDA_SUCCESS);
  CHECK(nodes() == 1);
}

TEST_CASE_METHOD(CaptureFixture, "streams fork and join by events") {
  CUstream const branch = stream();
  CUevent const forked = event();
  CUevent const joined = event();
  begin();
  CHECK(launch_in(origin, 1) == CUDA_SUCCESS);
  CHECK(cuEventRecord(forked, origin) == CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(branch, forked, 0) == CUDA_SUCCESS);
  CHECK(status(branch) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CHECK(launch_in(branch, 2) == CUDA_SUCCESS);
  CHECK(launch_in(origin, 3) == CUDA_SUCCESS);
  CHECK(cuEventRecord(joined, branch) == CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(origin, joined, 0) == CUDA_SUCCESS);
  CHECK(launch_in(origin, 4) == CUDA_SUCCESS);
  REQUIRE(end() == CUDA_SUCCESS);
  CHECK(nodes() == 4);
  CHECK(edges() == 4); // 1-2, 1-3, 2-4, 3-4
  CHECK(status(branch) == CU_STREAM_CAPTURE_STATUS_NONE);
  CUgraphExec exec = nullptr;
  REQUIRE(cuGraphInstantiateWithFlags(&exec, captured, 0) == CUDA_SUCCESS);
  CHECK(launch(exec, origin) == Posts{PEGASUS_CALL_GRAPH_LAUNCH});
  CHECK(device.launches.front().request.grid[0] == 1);
  CHECK(device.launches.back().request.grid[0] == 4);
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);

  // A stream cannot wait for events of a capture that has ended; recorded again they can be waited for.
  CHECK(cuStreamWaitEvent(branch, joined, 0) == CUDA_ERROR_CAPTURED_EVENT);
  CHECK(cuEventSynchronize(joined) == CUDA_ERROR_CAPTURED_EVENT);
  CHECK(cuEventRecord(joined, branch) == CUDA_SUCCESS);
  CHECK(cuEventSynchronize(joined) == CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(origin, joined, 0) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(CaptureFixture, "a capture is looked at and its dependencies are changed") {
  CUstreamCaptureStatus found{};
  cuuint64_t id = 0;
  CUgraph into = nullptr;
  CUgraphNode const* after = nullptr;
  std::size_t count = 7;
  CHECK(cuStreamUpdateCaptureDependencies(origin, nullptr, 0, 0) == CUDA_ERROR_ILLEGAL_STATE);
  begin();
  CHECK(launch_in(origin) == CUDA_SUCCESS);
  CHECK(launch_in(origin) == CUDA_SUCCESS);
  REQUIRE(cuStreamGetCaptureInfo_v2(origin, &found, &id, &into, &after, &count) == CUDA_SUCCESS);
  CHECK((found == CU_STREAM_CAPTURE_STATUS_ACTIVE && id != 0 && count == 1));
  CUgraphNode nodes_there[2];
  std::size_t room = 2;
  REQUIRE(cuGraphGetNodes(into, nodes_there, &room) == CUDA_SUCCESS);
  CHECK(after[0] == nodes_there[1]);
  CUgraphNode own = add_kernel(1, {}, into);
  CHECK(cuStreamUpdateCaptureDependencies_v2(origin, &own, nullptr, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES) ==
        CUDA_SUCCESS);
  CHECK(launch_in(origin) == CUDA_SUCCESS); // behind both
  CHECK(cuStreamUpdateCaptureDependencies(origin, &nodes_there[0], 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES) ==
        CUDA_SUCCESS);
  CHECK(launch_in(origin) == CUDA_SUCCESS); // behind the first
  CUgraphNode foreign = add_kernel();
  CHECK(cuStreamUpdateCaptureDependencies(origin, &foreign, 1, 0) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(end() == CUDA_SUCCESS);
  CHECK(captured == into);
  CHECK(nodes() == 5);
  CHECK(edges() == 4);
}

TEST_CASE_METHOD(CaptureFixture,
                 "a capture into a graph goes on behind its nodes; a launch becomes a child graph") {
  add_kernel(4);
  CUgraphExec const exec = instantiate();
  CUgraph target = nullptr;
  REQUIRE(cuGraphCreate(&target, 0) == CUDA_SUCCESS);
  CUgraphNode const there = add_kernel(1, {}, target);
  REQUIRE(cuStreamBeginCaptureToGraph(origin, target, &there, nullptr, 1, CU_STREAM_CAPTURE_MODE_GLOBAL) ==
          CUDA_SUCCESS);
  CHECK(cuGraphLaunch(exec, origin) == CUDA_SUCCESS);
  CHECK(device.launches.empty());
  REQUIRE(end() == CUDA_SUCCESS);
  CHECK(captured == target);
  CHECK(nodes() == 2);
  CHECK(edges() == 1);
  CUgraphExec both = nullptr;
  REQUIRE(cuGraphInstantiateWithFlags(&both, target, 0) == CUDA_SUCCESS);
  CHECK(launch(both) == Posts{PEGASUS_CALL_GRAPH_LAUNCH});
  CHECK(device.launches.size() == 2);
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
  CHECK(cuGraphExecDestroy(both) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(CaptureFixture, "streams and nodes that are destroyed while captured leave nothing behind") {
  CHECK(cuStreamBeginCapture_v2(origin, static_cast<CUstreamCaptureMode>(3)) == CUDA_ERROR_INVALID_VALUE);
  begin();
  CHECK(cuStreamBeginCapture_v2(origin, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_ERROR_ILLEGAL_STATE);
  CUgraph into = nullptr;
  CUstreamCaptureStatus found{};
  CHECK(launch_in(origin) == CUDA_SUCCESS);
  REQUIRE(cuStreamGetCaptureInfo_v2(origin, &found, nullptr, &into, nullptr, nullptr) == CUDA_SUCCESS);
  CUgraphNode node = nullptr;
  std::size_t room = 1;
  REQUIRE(cuGraphGetNodes(into, &node, &room) == CUDA_SUCCESS);
  REQUIRE(cuGraphDestroyNode(node) == CUDA_SUCCESS);
  CHECK(launch_in(origin) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  check_invalidated();
  begin();
  CHECK(launch_in(origin) == CUDA_SUCCESS);
  REQUIRE(cuStreamDestroy_v2(origin) == CUDA_SUCCESS);
  CHECK_FALSE(pegasus::driver::any_capture());
  origin = CU_STREAM_PER_THREAD; // can be captured as well
  begin();
  CHECK(cuLaunchKernel_ptsz(empty, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_SUCCESS);
  REQUIRE(end() == CUDA_SUCCESS);
  CHECK(nodes() == 1);
}
