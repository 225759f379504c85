// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frontend/cuda/graph/testing/nodes.h"

namespace pegasus::driver::testing {

struct CaptureFixture : GraphFixture {
  CUstream origin = stream();
  CUgraph captured = nullptr;

  ~CaptureFixture() { (void)cuGraphDestroy(captured); }
  void begin(CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) const {
    REQUIRE(cuStreamBeginCapture_v2(origin, mode) == CUDA_SUCCESS);
  }
  CUresult end() { return cuStreamEndCapture(origin, &captured); }
  CUresult launch_in(CUstream where, unsigned grid = 1) const {
    return cuLaunchKernel(empty, grid, 1, 1, 1, 1, 1, 0, where, nullptr, nullptr);
  }
  std::size_t nodes() const {
    std::size_t count = 0;
    REQUIRE(cuGraphGetNodes(captured, nullptr, &count) == CUDA_SUCCESS);
    return count;
  }
  std::size_t edges() const {
    std::size_t count = 0;
    REQUIRE(cuGraphGetEdges(captured, nullptr, nullptr, &count) == CUDA_SUCCESS);
    return count;
  }
  CUstreamCaptureStatus status(CUstream of) const {
    CUstreamCaptureStatus found{};
    REQUIRE(cuStreamIsCapturing(of, &found) == CUDA_SUCCESS);
    return found;
  }
  // Call it after an operation that breaks captures.
  void check_invalidated() {
    CHECK(status(origin) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    CHECK(launch_in(origin) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(end() == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(captured == nullptr);
    CHECK(status(origin) == CU_STREAM_CAPTURE_STATUS_NONE);
    CHECK(launch_in(origin) == CUDA_SUCCESS);
  }
};

} // namespace pegasus::driver::testing
