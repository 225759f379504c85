// SPDX-License-Identifier: Apache-2.0
// Helpers that create nodes for the tests of graphs.
#pragma once

#include "frontend/cuda/testing/fixture.h"

#include <initializer_list>
#include <vector>

namespace pegasus::driver::testing {

struct GraphFixture : Fixture {
  CUgraph graph = nullptr;
  CUfunction empty = kernel("empty");

  GraphFixture() { REQUIRE(cuGraphCreate(&graph, 0) == CUDA_SUCCESS); }
  ~GraphFixture() { (void)cuGraphDestroy(graph); }

  static CUDA_KERNEL_NODE_PARAMS_v2 launch_of(CUfunction function, unsigned grid = 1,
                                              void** parameters = nullptr) {
    CUDA_KERNEL_NODE_PARAMS_v2 params{};
    params.func = function;
    params.gridDimX = grid;
    params.gridDimY = params.gridDimZ = params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = parameters;
    return params;
  }
  using Before = std::vector<CUgraphNode>;
  CUgraphNode add_kernel(unsigned grid = 1, Before const& before = {}, CUgraph into = nullptr) const {
    CUgraphNode node = nullptr;
    auto const params = launch_of(empty, grid);
    REQUIRE(cuGraphAddKernelNode_v2(&node, into == nullptr ? graph : into, before.data(), before.size(),
                                    &params) == CUDA_SUCCESS);
    return node;
  }
  CUgraphNode add_fill(CUdeviceptr target, unsigned value, Before const& before = {}) const {
    CUgraphNode node = nullptr;
    CUDA_MEMSET_NODE_PARAMS const params{target, 0, value, 4, 1, 1};
    REQUIRE(cuGraphAddMemsetNode(&node, graph, before.data(), before.size(), &params, context) ==
            CUDA_SUCCESS);
    return node;
  }
  static CUDA_MEMCPY3D device_copy(CUdeviceptr target, CUdeviceptr source, std::size_t bytes) {
    CUDA_MEMCPY3D copy{};
    copy.dstMemoryType = copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = target;
    copy.srcDevice = source;
    copy.WidthInBytes = bytes;
    copy.Height = copy.Depth = 1;
    return copy;
  }
  static CUDA_MEMCPY3D to_host(void* target, CUdeviceptr source, std::size_t bytes) {
    CUDA_MEMCPY3D copy = device_copy(0, source, bytes);
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = target;
    return copy;
  }
  CUgraphNode add_copy(CUDA_MEMCPY3D const& copy, Before const& before = {}) const {
    CUgraphNode node = nullptr;
    REQUIRE(cuGraphAddMemcpyNode(&node, graph, before.data(), before.size(), &copy, context) == CUDA_SUCCESS);
    return node;
  }
  CUgraphNode add_host(CUhostFn function, void* data, Before const& before = {}) const {
    CUgraphNode node = nullptr;
    CUDA_HOST_NODE_PARAMS const params{function, data};
    REQUIRE(cuGraphAddHostNode(&node, graph, before.data(), before.size(), &params) == CUDA_SUCCESS);
    return node;
  }
  CUgraphExec instantiate() const {
    CUgraphExec exec = nullptr;
    REQUIRE(cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS);
    return exec;
  }

  // The packets of one launch.
  std::vector<std::uint16_t> launch(CUgraphExec exec, CUstream stream = nullptr) const {
    device.posts.clear();
    CHECK(cuGraphLaunch(exec, stream) == CUDA_SUCCESS);
    return device.posts;
  }
  unsigned word(CUdeviceptr address) const {
    unsigned value = 0;
    REQUIRE(cuMemcpyDtoH_v2(&value, address, sizeof value) == CUDA_SUCCESS);
    return value;
  }
  CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING) const {
    CUstream stream = nullptr;
    REQUIRE(cuStreamCreate(&stream, flags) == CUDA_SUCCESS);
    return stream;
  }
  CUevent event() const {
    CUevent event = nullptr;
    REQUIRE(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
    return event;
  }
};

using Posts = std::vector<std::uint16_t>;

} // namespace pegasus::driver::testing
