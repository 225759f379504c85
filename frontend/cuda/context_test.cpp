// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/context.h"

#include "frontend/cuda/testing/fixture.h"

#include <thread>

using namespace pegasus::driver::testing;

TEST_CASE("nothing works before cuInit; the version does") {
  int count = 0;
  CHECK(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
  CHECK(cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED);
  int version = 0;
  CHECK(cuDriverGetVersion(&version) == CUDA_SUCCESS);
  CHECK(version == 13000);
  CHECK(cuInit(1) == CUDA_ERROR_INVALID_VALUE);
  fake().available = false;
  CHECK(cuInit(0) == CUDA_ERROR_NO_DEVICE);
  fake().available = true;
  setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
  CHECK(cuInit(0) == CUDA_ERROR_NO_DEVICE);
  setenv("CUDA_VISIBLE_DEVICES", "GPU-5a5a,1", 1);
  CHECK(cuInit(0) == CUDA_SUCCESS);
  unsetenv("CUDA_VISIBLE_DEVICES");
  CHECK(cuDeviceGetCount(&count) == CUDA_SUCCESS);
  CHECK(count == 1);
}

TEST_CASE("without a current context calls that need one say so") {
  REQUIRE(cuInit(0) == CUDA_SUCCESS);
  CUdeviceptr address = 0;
  CHECK(cuMemAlloc_v2(&address, 16) == CUDA_ERROR_INVALID_CONTEXT);
  CUcontext current = nullptr;
  CHECK(cuCtxGetCurrent(&current) == CUDA_SUCCESS);
  CHECK(current == nullptr);
  CHECK(cuCtxPopCurrent_v2(&current) == CUDA_ERROR_INVALID_CONTEXT);
}

TEST_CASE_METHOD(Fixture, "what a handle or an address names needs no current context") {
  CUdeviceptr address = 0;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  void* host = nullptr;
  CUmodule module = nullptr;
  static char const ptx[] = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n";
  REQUIRE(cuMemAlloc_v2(&address, 16) == CUDA_SUCCESS);
  REQUIRE(cuStreamCreate(&stream, 0) == CUDA_SUCCESS);
  REQUIRE(cuEventCreate(&event, 0) == CUDA_SUCCESS);
  REQUIRE(cuMemAllocHost_v2(&host, 64) == CUDA_SUCCESS);
  REQUIRE(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS);
  CUcontext popped = nullptr;
  REQUIRE(cuCtxPopCurrent_v2(&popped) == CUDA_SUCCESS);
  CHECK(cuStreamSynchronize(nullptr) == CUDA_ERROR_INVALID_CONTEXT); // the current context's own
  CHECK(cuEventRecord(event, nullptr) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuEventRecord(event, stream) == CUDA_SUCCESS);
  CHECK(cuEventSynchronize(event) == CUDA_SUCCESS);
  CHECK(cuStreamSynchronize(stream) == CUDA_SUCCESS);
  CHECK(cuStreamGetCtx(stream, &popped) == CUDA_SUCCESS);
  CHECK(popped == context);
  CHECK(cuMemFree_v2(address) == CUDA_SUCCESS);
  CHECK(cuMemFreeHost(host) == CUDA_SUCCESS);
  CHECK(cuEventDestroy_v2(event) == CUDA_SUCCESS);
  CHECK(cuStreamDestroy_v2(stream) == CUDA_SUCCESS);
  CHECK(cuModuleUnload(module) == CUDA_SUCCESS);
  cuCtxPushCurrent_v2(popped);
}

TEST_CASE_METHOD(Fixture, "a status that is not an error of CUDA's is an unknown error") {
  device.next_status = GENERATE(-1, 1000, 1 << 30);
  CHECK(cuCtxSynchronize() == CUDA_ERROR_UNKNOWN);
  CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
}

TEST_CASE_METHOD(Fixture, "the stack of current contexts is each thread's own") {
  CUcontext second = nullptr;
  CUcontext current = nullptr;
  REQUIRE(cuCtxCreate_v2(&second, 0, 0) == CUDA_SUCCESS);
  cuCtxGetCurrent(&current);
  CHECK(current == second);
  std::thread([&] {
    CUcontext elsewhere = context;
    cuCtxGetCurrent(&elsewhere);
    if (elsewhere != nullptr) std::abort();
  }).join();
  REQUIRE(cuCtxPopCurrent_v2(&current) == CUDA_SUCCESS);
  CHECK(current == second);
  cuCtxGetCurrent(&current);
  CHECK(current == context);
  REQUIRE(cuCtxPushCurrent_v2(second) == CUDA_SUCCESS);
  REQUIRE(cuCtxSetCurrent(context) == CUDA_SUCCESS); // replaces the top
  REQUIRE(cuCtxPopCurrent_v2(&current) == CUDA_SUCCESS);
  cuCtxGetCurrent(&current);
  CHECK(current == context);
  CHECK(cuCtxDestroy_v2(second) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(Fixture, "a destroyed context is refused, also where it is still current") {
  CUcontext second = nullptr;
  REQUIRE(cuCtxCreate_v2(&second, 0, 0) == CUDA_SUCCESS);
  REQUIRE(cuCtxPushCurrent_v2(context) == CUDA_SUCCESS);
  REQUIRE(cuCtxDestroy_v2(second) == CUDA_SUCCESS);
  CHECK(cuCtxDestroy_v2(second) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuCtxPushCurrent_v2(second) == CUDA_ERROR_INVALID_CONTEXT);
  CUcontext top = nullptr;
  REQUIRE(cuCtxPopCurrent_v2(&top) == CUDA_SUCCESS);
  CHECK(cuCtxSynchronize() == CUDA_ERROR_CONTEXT_IS_DESTROYED);
  CUdeviceptr address = 0;
  CHECK(cuMemAlloc_v2(&address, 16) == CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST_CASE_METHOD(Fixture, "destroying a context frees what is its own and leaves the rest") {
  CUdeviceptr const mine = allocate(64);
  CUcontext second = nullptr;
  REQUIRE(cuCtxCreate_v2(&second, 0, 0) == CUDA_SUCCESS);
  CUdeviceptr const its = allocate(64);
  CUstream stream = nullptr;
  CUevent event = nullptr;
  REQUIRE(cuStreamCreate(&stream, 0) == CUDA_SUCCESS);
  REQUIRE(cuEventCreate(&event, 0) == CUDA_SUCCESS);
  CUfunction const function = kernel("empty");
  REQUIRE(cuCtxDestroy_v2(second) == CUDA_SUCCESS);
  CHECK(device.memory.count(mine) == 1);
  CHECK(device.memory.count(its) == 0);
  CHECK(device.streams == 0);
  CHECK(device.events == 0);
  CHECK(device.modules_unloaded == 1);
  CHECK(device.resets == 0);
  CHECK(cuStreamQuery(stream) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuEventQuery(event) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) ==
        CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuMemFree_v2(its) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Fixture, "an error that corrupts the context stays until the context goes") {
  device.next_status = CUDA_ERROR_ILLEGAL_ADDRESS;
  CHECK(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
  CUdeviceptr address = 0;
  CHECK(cuMemAlloc_v2(&address, 16) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
  int major = 0;
  int minor = 0;
  CHECK(cuDeviceComputeCapability(&major, &minor, 0) == CUDA_SUCCESS); // does not use the context
  CHECK(cuCtxDestroy_v2(context) == CUDA_SUCCESS);
  CHECK(device.resets == 1);
  REQUIRE(cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS);
  CHECK(cuMemAlloc_v2(&address, 16) == CUDA_SUCCESS);
}

TEST_CASE("the primary context is counted, reset and revived") {
  REQUIRE(cuInit(0) == CUDA_SUCCESS);
  unsigned flags = 99;
  int active = 99;
  CHECK(cuDevicePrimaryCtxRelease_v2(0) == CUDA_ERROR_INVALID_CONTEXT);
  CUcontext first = nullptr;
  CUcontext second = nullptr;
  CHECK(cuDevicePrimaryCtxRetain(&first, 1) == CUDA_ERROR_INVALID_DEVICE);
  REQUIRE(cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_YIELD) == CUDA_SUCCESS);
  REQUIRE(cuDevicePrimaryCtxRetain(&first, 0) == CUDA_SUCCESS);
  REQUIRE(cuDevicePrimaryCtxRetain(&second, 0) == CUDA_SUCCESS);
  CHECK(first == second);
  REQUIRE(cuDevicePrimaryCtxGetState(0, &flags, &active) == CUDA_SUCCESS);
  CHECK(flags == CU_CTX_SCHED_YIELD);
  CHECK(active == 1);
  REQUIRE(cuCtxSetCurrent(first) == CUDA_SUCCESS);
  CHECK(cuCtxDestroy_v2(first) == CUDA_ERROR_INVALID_CONTEXT);
  CUdeviceptr address = 0;
  REQUIRE(cuMemAlloc_v2(&address, 16) == CUDA_SUCCESS);
  unsigned const resets = fake().resets;
  REQUIRE(cuDevicePrimaryCtxReset_v2(0) == CUDA_SUCCESS);
  CHECK(fake().resets == resets + 1);
  CHECK(cuMemFree_v2(address) == CUDA_ERROR_INVALID_VALUE); // freed by the reset
  CHECK(cuMemAlloc_v2(&address, 16) == CUDA_ERROR_CONTEXT_IS_DESTROYED);
  cuDevicePrimaryCtxGetState(0, &flags, &active);
  CHECK(active == 0);
  REQUIRE(cuDevicePrimaryCtxRetain(&second, 0) == CUDA_SUCCESS); // the handle is valid again
  CHECK(second == first);
  CHECK(cuMemAlloc_v2(&address, 16) == CUDA_SUCCESS);
  for (int i = 0; i < 3; ++i)
    CHECK(cuDevicePrimaryCtxRelease_v2(0) == CUDA_SUCCESS);
  CHECK(cuDevicePrimaryCtxRelease_v2(0) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(fake().memory.empty());
  (void)cuCtxSetCurrent(nullptr);
}

TEST_CASE_METHOD(Fixture, "limits") {
  std::size_t value = 0;
  CHECK(cuCtxGetLimit(&value, CU_LIMIT_PRINTF_FIFO_SIZE) == CUDA_SUCCESS);
  CHECK(value == 1u << 20);
  CHECK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1u << 24) == CUDA_SUCCESS);
  CHECK(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE) == CUDA_SUCCESS);
  CHECK(value == 1u << 24);
  CHECK(cuCtxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH) == CUDA_ERROR_UNSUPPORTED_LIMIT);
  CHECK(cuCtxGetLimit(&value, static_cast<CUlimit>(15)) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Fixture, "flags are checked") {
  CUcontext other = nullptr;
  CHECK(cuCtxCreate_v2(&other, 0x1000, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuCtxCreate_v2(&other, 3, 0) == CUDA_ERROR_INVALID_VALUE); // two scheduling modes
  CHECK(cuCtxCreate_v2(&other, 0, 1) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(cuCtxCreate_v2(nullptr, 0, 0) == CUDA_ERROR_INVALID_VALUE);
  CUexecAffinityParam affinity{};
  CHECK(cuCtxCreate_v3(&other, &affinity, 1, 0, 0) == CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
}

TEST_CASE_METHOD(Fixture, "a context goes with the last of those that attached to it") {
  CUcontext attached = nullptr, other = nullptr;
  CHECK(cuCtxAttach(&attached, 1) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(cuCtxAttach(&attached, 0) == CUDA_SUCCESS);
  CHECK(attached == context);
  REQUIRE(cuCtxCreate_v2(&other, 0, 0) == CUDA_SUCCESS);
  CHECK(cuCtxDetach(context) == CUDA_ERROR_INVALID_CONTEXT); // not the current one
  CHECK(cuCtxDetach(other) == CUDA_SUCCESS);
  CHECK(cuCtxDetach(other) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuCtxDetach(context) == CUDA_SUCCESS);
  unsigned version = 0;
  CHECK(cuCtxGetApiVersion(context, &version) == CUDA_SUCCESS);
  CHECK(cuCtxDetach(context) == CUDA_SUCCESS);
  CHECK(cuCtxGetApiVersion(context, &version) == CUDA_ERROR_INVALID_CONTEXT);
  REQUIRE(cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS); // for the fixture
}
