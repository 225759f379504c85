// SPDX-License-Identifier: Apache-2.0
// Operations that break a capture, and their errors.
#include "frontend/cuda/graph/capture.h"

#include "frontend/cuda/graph/testing/captures.h"

#include <thread>

using namespace pegasus::driver::testing;

TEST_CASE_METHOD(CaptureFixture, "a branch that was not joined") {
  CUstream const branch = stream();
  CUevent const forked = event();
  begin();
  CHECK(launch_in(origin) == CUDA_SUCCESS);
  CHECK(cuEventRecord(forked, origin) == CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(branch, forked, 0) == CUDA_SUCCESS);
  CHECK(launch_in(branch) == CUDA_SUCCESS);
  CHECK(end() == CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  CHECK(captured == nullptr);
  CHECK(status(branch) == CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_CASE_METHOD(CaptureFixture, "a capture ends in the stream where it began") {
  CUstream const branch = stream();
  CUevent const forked = event();
  begin();
  CHECK(cuEventRecord(forked, origin) == CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(branch, forked, 0) == CUDA_SUCCESS);
  CHECK(cuStreamEndCapture(branch, &captured) == CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  check_invalidated();
  CHECK(cuStreamEndCapture(branch, &captured) == CUDA_ERROR_ILLEGAL_STATE);
}

TEST_CASE_METHOD(CaptureFixture, "and in the thread where it began, unless it is relaxed") {
  begin(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  CUresult other = CUDA_SUCCESS;
  auto const end_elsewhere = [&] {
    std::thread([&] {
      REQUIRE(cuCtxSetCurrent(context) == CUDA_SUCCESS);
      other = end();
    }).join();
  };
  end_elsewhere();
  CHECK(other == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  CHECK(end() == CUDA_SUCCESS);
  CHECK(cuGraphDestroy(captured) == CUDA_SUCCESS);
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  end_elsewhere();
  CHECK(other == CUDA_SUCCESS);
}

TEST_CASE_METHOD(CaptureFixture, "two captures do not merge") {
  CUstream const second = stream();
  CUevent const in_second = event();
  begin();
  REQUIRE(cuStreamBeginCapture_v2(second, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
  CHECK(launch_in(second) == CUDA_SUCCESS);
  CHECK(cuEventRecord(in_second, second) == CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(origin, in_second, 0) == CUDA_ERROR_STREAM_CAPTURE_MERGE);
  CHECK(status(second) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  check_invalidated();
  CHECK(cuStreamEndCapture(second, &captured) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_CASE_METHOD(CaptureFixture, "a capture does not wait for what was done before it") {
  CUevent const outside = event();
  CUevent const never = event();
  CHECK(cuEventRecord(outside, origin) == CUDA_SUCCESS);
  begin();
  CHECK(cuStreamWaitEvent(origin, never, 0) == CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(origin, outside, 0) == CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  check_invalidated();

  begin();
  CHECK(cuStreamWaitEvent(origin, outside, CU_EVENT_WAIT_EXTERNAL) == CUDA_SUCCESS);
  CHECK(cuEventRecordWithFlags(outside, origin, CU_EVENT_RECORD_EXTERNAL) == CUDA_SUCCESS);
  REQUIRE(end() == CUDA_SUCCESS);
  CHECK(nodes() == 2); // one for each launch
}

TEST_CASE_METHOD(CaptureFixture, "the legacy stream would have to wait for a captured blocking stream") {
  CUstream const blocking = stream(CU_STREAM_DEFAULT);
  begin();
  CHECK(launch_in(nullptr) == CUDA_SUCCESS); // not for a non-blocking one
  REQUIRE(end() == CUDA_SUCCESS);
  CHECK(cuGraphDestroy(captured) == CUDA_SUCCESS);

  origin = blocking;
  begin();
  CUstreamCaptureStatus legacy{};
  CHECK(cuStreamIsCapturing(nullptr, &legacy) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CHECK(status(origin) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  unsigned word_there = 0;
  CUdeviceptr const memory = allocate(4);
  CHECK(cuMemcpyDtoH_v2(&word_there, memory, 4) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  check_invalidated();
  begin();
  CUevent const recorded = event();
  CHECK(cuEventRecord(recorded, origin) == CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(CU_STREAM_LEGACY, recorded, 0) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  check_invalidated();
  CHECK(cuStreamBeginCapture_v2(nullptr, CU_STREAM_CAPTURE_MODE_RELAXED) ==
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

TEST_CASE_METHOD(CaptureFixture, "waiting for or asking about what is only captured") {
  CUevent const recorded = event();
  auto const calls = GENERATE(0, 1, 2, 3, 4);
  begin();
  CHECK(cuEventRecord(recorded, origin) == CUDA_SUCCESS);
  switch (calls) {
  case 0:
    CHECK(cuStreamSynchronize(origin) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    break;
  case 1:
    CHECK(cuStreamQuery(origin) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    break;
  case 2:
    CHECK(cuCtxSynchronize() == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    break;
  case 3:
    CHECK(cuEventQuery(recorded) == CUDA_ERROR_CAPTURED_EVENT);
    break;
  default:
    CHECK(cuStreamAddCallback(
              origin, [](CUstream, CUresult, void*) {}, nullptr, 0) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  check_invalidated();
}

TEST_CASE_METHOD(CaptureFixture, "which calls a capture keeps from waiting for everything") {
  auto const [capture_mode, thread_mode, same_thread, refused] =
      GENERATE(table<CUstreamCaptureMode, CUstreamCaptureMode, bool, bool>({
          {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_GLOBAL, false, true},
          {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, false, false},
          {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, true, true},
          {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED, true, false},
          {CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_GLOBAL, false, false},
          {CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_GLOBAL, true, true},
          {CU_STREAM_CAPTURE_MODE_RELAXED, CU_STREAM_CAPTURE_MODE_GLOBAL, true, false},
      }));
  begin(capture_mode);
  CUresult status = CUDA_SUCCESS;
  auto const wait = [&, wanted = thread_mode] {
    CUstreamCaptureMode mode = wanted;
    REQUIRE(cuThreadExchangeStreamCaptureMode(&mode) == CUDA_SUCCESS);
    REQUIRE(cuCtxSetCurrent(context) == CUDA_SUCCESS);
    status = cuCtxSynchronize();
    REQUIRE(cuThreadExchangeStreamCaptureMode(&mode) == CUDA_SUCCESS);
  };
  if (same_thread)
    wait();
  else
    std::thread(wait).join();
  CHECK(status == (refused ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS));
  CHECK(end() == (refused ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS));
}
