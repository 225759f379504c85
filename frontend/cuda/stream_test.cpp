// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/stream.h"

#include "frontend/cuda/testing/fixture.h"

using namespace pegasus::driver::testing;

TEST_CASE_METHOD(Fixture, "streams report their flags, priority and id") {
  CUstream stream = nullptr;
  CHECK(cuStreamCreate(&stream, 2) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -99) == CUDA_SUCCESS);
  unsigned flags = 0;
  int priority = -1;
  CUcontext owner = nullptr;
  CHECK(cuStreamGetFlags(stream, &flags) == CUDA_SUCCESS);
  CHECK(flags == CU_STREAM_NON_BLOCKING);
  CHECK(cuStreamGetPriority(stream, &priority) == CUDA_SUCCESS);
  CHECK(priority == 0); // the device has no priorities: clamped
  CHECK(cuStreamGetCtx(stream, &owner) == CUDA_SUCCESS);
  CHECK(owner == context);
  unsigned long long id = 0;
  unsigned long long legacy = 0;
  CHECK(cuStreamGetId(stream, &id) == CUDA_SUCCESS);
  CHECK(cuStreamGetId(nullptr, &legacy) == CUDA_SUCCESS);
  CHECK(id != legacy);
  CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  CHECK(cuStreamIsCapturing(stream, &capturing) == CUDA_SUCCESS);
  CHECK(capturing == CU_STREAM_CAPTURE_STATUS_NONE);
  CHECK(cuStreamDestroy_v2(stream) == CUDA_SUCCESS);
  CHECK(cuStreamDestroy_v2(stream) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuStreamDestroy_v2(nullptr) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuStreamSynchronize(stream) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE_METHOD(Fixture, "a synchronous copy waits only where later work would not wait for it") {
  CUdeviceptr const p = allocate(4);
  int value = 1;
  REQUIRE(cuMemcpyHtoD_v2(p, &value, 4) == CUDA_SUCCESS);
  CHECK(device.synchronizations == 0);
  CUstream stream = nullptr;
  REQUIRE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  REQUIRE(cuMemcpyHtoD_v2(p, &value, 4) == CUDA_SUCCESS);
  CHECK(device.synchronizations == 1);
  REQUIRE(cuMemcpyHtoDAsync_v2(p, &value, 4, stream) == CUDA_SUCCESS);
  CHECK(device.synchronizations == 1);
  REQUIRE(cuStreamDestroy_v2(stream) == CUDA_SUCCESS);
  REQUIRE(cuMemcpyHtoD_v2(p, &value, 4) == CUDA_SUCCESS);
  CHECK(device.synchronizations == 1);
}

TEST_CASE_METHOD(Fixture, "events: unrecorded ones count as complete, untimed ones have no time") {
  CUevent start = nullptr;
  CUevent end = nullptr;
  CUevent untimed = nullptr;
  CHECK(cuEventCreate(&start, 8) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuEventCreate(&start, CU_EVENT_INTERPROCESS) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(cuEventCreate(&start, 0) == CUDA_SUCCESS);
  REQUIRE(cuEventCreate(&end, CU_EVENT_BLOCKING_SYNC) == CUDA_SUCCESS);
  REQUIRE(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
  CHECK(cuEventQuery(start) == CUDA_SUCCESS);
  CHECK(cuEventSynchronize(start) == CUDA_SUCCESS);
  float time = -1;
  CHECK(cuEventElapsedTime(&time, start, end) == CUDA_ERROR_INVALID_HANDLE);
  REQUIRE(cuEventRecord(start, nullptr) == CUDA_SUCCESS);
  REQUIRE(cuEventRecord(end, nullptr) == CUDA_SUCCESS);
  REQUIRE(cuEventRecord(untimed, nullptr) == CUDA_SUCCESS);
  CHECK(cuEventElapsedTime_v2(&time, start, end) == CUDA_SUCCESS);
  CHECK(cuEventElapsedTime(&time, start, untimed) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuEventRecordWithFlags(start, nullptr, 2) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuStreamWaitEvent(nullptr, end, 0) == CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(nullptr, reinterpret_cast<CUevent>(context), 0) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuEventDestroy_v2(start) == CUDA_SUCCESS);
  CHECK(cuEventDestroy_v2(start) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE_METHOD(Fixture, "host functions run after the stream's work, callbacks are told its error") {
  int calls = 0;
  auto const count = [](void* data) { ++*static_cast<int*>(data); };
  CHECK(cuLaunchHostFunc(nullptr, count, &calls) == CUDA_SUCCESS);
  CHECK(calls == 1);
  CHECK(device.synchronizations == 1);
  CHECK(cuLaunchHostFunc(nullptr, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CUresult told = CUDA_SUCCESS;
  device.next_status = CUDA_ERROR_LAUNCH_FAILED;
  auto const keep = [](CUstream, CUresult status, void* data) { *static_cast<CUresult*>(data) = status; };
  CHECK(cuStreamAddCallback(nullptr, keep, &told, 0) == CUDA_SUCCESS);
  CHECK(told == CUDA_ERROR_LAUNCH_FAILED);
  CHECK(cuLaunchHostFunc(nullptr, count, &calls) == CUDA_ERROR_LAUNCH_FAILED);
  CHECK(calls == 1);
}
