// SPDX-License-Identifier: Apache-2.0
#include "frontend/cudart/graph_params.h"

#include "frontend/cudart/testing/fake_cuda.h"
#include "frontend/cudart/testing/registered.h"

#include <catch2/catch.hpp>

#include <string>

using namespace pegasus::cudart;

extern "C" cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t, cudaStream_t);
extern "C" cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t, cudaStreamCaptureMode);

namespace {

char stubs[8]; // their addresses represent host functions and variables

struct Program : ::Program {
  Program() {
    kernel(&stubs[0], "first");
    kernel(&stubs[1], "second");
    variable(&stubs[2], "shadowed");
    end();
  }
};

struct Graph {
  FakeCuda& fake = fake_cuda();
  Program program;
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  Graph() { REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess); }

  static cudaKernelNodeParams kernel(char* host) {
    cudaKernelNodeParams params{};
    params.func = host;
    params.gridDim = dim3(3, 4, 5);
    params.blockDim = dim3(6, 7, 1);
    params.sharedMemBytes = 8;
    return params;
  }
};

} // namespace

TEST_CASE_METHOD(Graph, "host functions become kernels, and kernels host functions") {
  auto const params = kernel(&stubs[1]);
  REQUIRE(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params) == cudaSuccess);
  CHECK(*reinterpret_cast<std::string const*>(fake.node_kernel.func) == "second");
  CHECK((fake.node_kernel.gridDimX == 3 && fake.node_kernel.gridDimY == 4 && fake.node_kernel.gridDimZ == 5));
  CHECK((fake.node_kernel.blockDimX == 6 && fake.node_kernel.blockDimY == 7));
  CHECK(fake.node_kernel.sharedMemBytes == 8);
  cudaKernelNodeParams got{};
  REQUIRE(cudaGraphKernelNodeGetParams(node, &got) == cudaSuccess);
  CHECK(got.func == &stubs[1]);
  CHECK((got.gridDim.y == 4 && got.blockDim.x == 6));
  auto const other = kernel(&stubs[0]);
  CHECK(cudaGraphExecKernelNodeSetParams(nullptr, node, &other) == cudaSuccess);
  CHECK(*reinterpret_cast<std::string const*>(fake.node_kernel.func) == "first");
  auto const unknown = kernel(&stubs[7]);
  CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &unknown) == cudaErrorInvalidDeviceFunction);
  CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, nullptr) == cudaErrorInvalidValue);

  cudaGraphNodeParams any{};
  any.type = cudaGraphNodeTypeKernel;
  any.kernel.func = &stubs[1];
  any.kernel.gridDim = dim3(9);
  REQUIRE(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &any) == cudaSuccess);
  CHECK(*reinterpret_cast<std::string const*>(fake.node_any.kernel.func) == "second");
  CHECK(fake.node_any.kernel.gridDimX == 9);
}

TEST_CASE_METHOD(Graph, "copies: ranges, boxes, symbols, and back") {
  char host[64] = {};
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 64) == cudaSuccess);
  CUcontext current = nullptr;
  REQUIRE(driver()->cuCtxGetCurrent(&current) == CUDA_SUCCESS);
  cudaGraphNode_t const before[2] = {};
  REQUIRE(cudaGraphAddMemcpyNode1D(&node, graph, before, 2, memory, host, 48, cudaMemcpyHostToDevice) ==
          cudaSuccess);
  CHECK(fake.node_dependencies == 2);
  CHECK(fake.node_context == current);
  CHECK((fake.node_copy.srcMemoryType == CU_MEMORYTYPE_HOST && fake.node_copy.srcHost == host));
  CHECK((fake.node_copy.dstMemoryType == CU_MEMORYTYPE_DEVICE &&
         fake.node_copy.dstDevice == device_address(memory)));
  CHECK((fake.node_copy.WidthInBytes == 48 && fake.node_copy.Height == 1 && fake.node_copy.Depth == 1));
  cudaMemcpy3DParms box{};
  REQUIRE(cudaGraphMemcpyNodeGetParams(node, &box) == cudaSuccess);
  CHECK((box.kind == cudaMemcpyHostToDevice && box.srcPtr.ptr == host && box.dstPtr.ptr == memory));
  CHECK((box.extent.width == 48 && box.extent.height == 1 && box.extent.depth == 1));
  box.extent = {8, 2, 1};
  box.srcPtr.pitch = box.dstPtr.pitch = 8;
  REQUIRE(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &box) == cudaSuccess);
  CHECK((fake.node_copy.WidthInBytes == 8 && fake.node_copy.Height == 2 && fake.node_copy.srcPitch == 8));
  box.extent.width = 9;
  CHECK(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &box) == cudaErrorInvalidPitchValue);
  CHECK(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, memory, host, 4, static_cast<cudaMemcpyKind>(7)) ==
        cudaErrorInvalidMemcpyDirection);

  REQUIRE(cudaGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, &stubs[2], host, 16, 8,
                                         cudaMemcpyHostToDevice) == cudaSuccess);
  CUdeviceptr const target = fake.node_copy.dstDevice;
  REQUIRE(cudaGraphExecMemcpyNodeSetParamsFromSymbol(nullptr, node, host, &stubs[2], 16, 24,
                                                     cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(fake.node_copy.srcDevice == target + 16);
  CHECK(fake.node_copy.dstHost == host);
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, &stubs[2], host, 16, 49,
                                       cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, &stubs[3], host, 16, 0,
                                       cudaMemcpyHostToDevice) == cudaErrorInvalidSymbol);
  CHECK(cudaFree(memory) == cudaSuccess);
}

TEST_CASE_METHOD(Graph, "memsets, child graphs, what has no counterpart") {
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 64) == cudaSuccess);
  cudaMemsetParams const params{memory, 16, 5, 2, 3, 4};
  REQUIRE(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &params) == cudaSuccess);
  CHECK(fake.node_fill.dst == device_address(memory));
  CHECK((fake.node_fill.pitch == 16 && fake.node_fill.value == 5 && fake.node_fill.elementSize == 2 &&
         fake.node_fill.width == 3 && fake.node_fill.height == 4));
  cudaMemsetParams got{};
  CHECK(cudaGraphMemsetNodeGetParams(node, &got) == cudaSuccess);
  CHECK((got.dst == memory && got.height == 4));
  cudaGraphNodeParams any{};
  any.type = cudaGraphNodeTypeGraph;
  any.graph.graph = nullptr;
  REQUIRE(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &any) == cudaSuccess);
  CHECK(any.graph.graph != nullptr); // the node has its own copy
  any.type = cudaGraphNodeTypeConditional;
  CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &any) == cudaErrorNotSupported);
  CHECK(cudaFree(memory) == cudaSuccess);
}

TEST_CASE_METHOD(Graph, "launches and captures: which stream, which mode, whose error") {
  cudaGraphExec_t exec = nullptr;
  REQUIRE(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagUseNodePriority) == cudaSuccess);
  CHECK(fake.instantiate_flags == CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
  CHECK(cudaGraphLaunch(exec, nullptr) == cudaSuccess);
  CHECK(fake.stream == nullptr);
  CHECK(cudaGraphLaunch_ptsz(exec, nullptr) == cudaSuccess);
  CHECK(fake.stream == cudaStreamPerThread);
  fake.sticky = CUDA_ERROR_LAUNCH_FAILED;
  CHECK(cudaGraphLaunch(exec, nullptr) == cudaErrorLaunchFailure);
  fake.sticky = CUDA_SUCCESS;
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  CHECK(cudaDeviceReset() == cudaSuccess);
  (void)cudaGetLastError();

  CHECK(cudaStreamBeginCapture_ptsz(nullptr, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  CHECK(fake.stream == cudaStreamPerThread);
  CHECK(fake.capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED);
  cudaStreamCaptureStatus status{};
  unsigned long long id = 0;
  cudaGraph_t into = nullptr;
  std::size_t count = 0;
  CHECK(cudaStreamGetCaptureInfo(nullptr, &status, &id, &into, nullptr, nullptr, &count) == cudaSuccess);
  CHECK((status == cudaStreamCaptureStatusActive && id == 5 && into == graph && count == 3));
  CHECK(cudaStreamGetCaptureInfo(nullptr, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaStreamEndCapture(nullptr, &into) == cudaErrorNotSupported); // this driver lacks it
  (void)cudaGetLastError();
}
