// SPDX-License-Identifier: Apache-2.0
// Sections of runtime_api_behaviour.cu: launches, symbols, streams and events, functions and occupancy.
#pragma once

#include "tests/api/runtime_api_expect.h"
#include "tests/api/runtime_api_kernels.cuh"

#include <cstring>
#include <vector>

namespace {

void launches() {
  constexpr int n = 1000;
  int* data = nullptr;
  std::vector<int> back(n);
  OK(cudaMalloc(&data, n * sizeof(int)));
  OK(cudaMemset(data, 0, n * sizeof(int)));
  add<<<4, 256>>>(data, n, 5);
  OK(cudaGetLastError());
  int value = 3;
  int count = n;
  void* arguments[] = {&data, &count, &value};
  OK(cudaLaunchKernel(add, dim3(4), dim3(256), arguments, 0, nullptr));
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(4);
  config.blockDim = dim3(256);
  OK(cudaLaunchKernelEx(&config, add, data, n, 2));
  OK(cudaMemcpy(back.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
  bool all = true;
  for (int const got : back)
    all = all && got == 10;
  EXPECT(all);

  double* out = nullptr;
  double result = 0;
  OK(cudaMalloc(&out, sizeof *out));
  mixed<<<1, 1>>>(out, 1, Mixed{2, 2.5, {0, 0, 4}}, 3);
  OK(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
  EXPECT(result == 2.5 * 4 + 2 + 1 + 3);
  OK(cudaFree(out));

  for (int i = 0; i < 64; ++i)
    back[static_cast<std::size_t>(i)] = i;
  OK(cudaMemcpy(data, back.data(), 64 * sizeof(int), cudaMemcpyHostToDevice));
  reverse<<<1, 64, 64 * sizeof(int)>>>(data);
  OK(cudaMemcpy(back.data(), data, 64 * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(back[0] == 63 && back[63] == 0);
  twice<<<1, 64>>>(data);
  OK(cudaMemcpy(back.data(), data, 64 * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(back[0] == 126);
  static_shared<<<1, 256>>>(data);
  OK(cudaMemcpy(back.data(), data, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(back[0] == 255);

  add<<<0, 256>>>(data, n, 1);
  RESULT(cudaGetLastError(), cudaErrorInvalidConfiguration);
  add<<<1, 2048>>>(data, n, 1);
  RESULT(cudaGetLastError(), cudaErrorInvalidConfiguration);
  add<<<1, dim3(1, 1, 65)>>>(data, n, 1);
  RESULT(cudaGetLastError(), cudaErrorInvalidConfiguration);
  add<<<1, 32, 10 << 20>>>(data, n, 1);
  RESULT(cudaGetLastError(), cudaErrorInvalidValue);
  OK(cudaGetLastError());
  RESULT(cudaLaunchKernel(&failures, dim3(1), dim3(1), arguments, 0, nullptr),
         cudaErrorInvalidDeviceFunction);
  RESULT(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
  OK(cudaDeviceSynchronize());
  OK(cudaFree(data));
}

void symbols() {
  int host[16];
  int back[16];
  for (int i = 0; i < 16; ++i)
    host[i] = i * 3;
  int* out = nullptr;
  int seen = 0;
  OK(cudaMalloc(&out, sizeof host));
  OK(cudaMemcpyToSymbol(constants, host, sizeof host));
  OK(cudaMemcpyFromSymbol(&seen, variable, sizeof seen));
  EXPECT(seen == 11);
  use_symbols<<<1, 16>>>(out);
  OK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  EXPECT(back[0] == 11 && back[15] == 56);
  OK(cudaMemcpyFromSymbol(&seen, variable, sizeof seen));
  EXPECT(seen == 99);
  void* address = nullptr;
  std::size_t bytes = 0;
  OK(cudaGetSymbolAddress(&address, table));
  OK(cudaGetSymbolSize(&bytes, table));
  EXPECT(bytes == 64 * sizeof(float));
  OK(cudaMemset(address, 0, bytes));
  float const half = 0.5f;
  float half_back = 0;
  OK(cudaMemcpyToSymbol(table, &half, sizeof half, 63 * sizeof(float)));
  OK(cudaMemcpy(&half_back, static_cast<float*>(address) + 63, sizeof half, cudaMemcpyDeviceToHost));
  EXPECT(half_back == half);
  OK(cudaMemcpyFromSymbolAsync(&half_back, table, sizeof half, 0, cudaMemcpyDeviceToHost, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(half_back == 0);
  RESULT(cudaMemcpyToSymbol(table, &half, sizeof half, 64 * sizeof(float)), cudaErrorInvalidValue);
  RESULT(cudaMemcpyToSymbol(table, &half, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
  RESULT(cudaGetSymbolAddress(&address, failures), cudaErrorInvalidSymbol);
  cudaGetLastError();
  OK(cudaFree(out));
}

void settings_of_streams(cudaStream_t other) {
  unsigned flags = 0;
  int priority = 77;
  OK(cudaStreamGetFlags(other, &flags));
  EXPECT(flags == cudaStreamNonBlocking);
  OK(cudaStreamGetPriority(other, &priority));
  EXPECT(priority == 0);
  RESULT(cudaStreamCreateWithFlags(&other, 0x80), cudaErrorInvalidValue);
}

void streams_wait_for_events(cudaStream_t stream, cudaStream_t other, cudaEvent_t start, cudaEvent_t end) {
  constexpr int n = 1 << 16;
  int* data = nullptr;
  OK(cudaMalloc(&data, n * sizeof(int)));
  OK(cudaMemsetAsync(data, 0, n * sizeof(int), stream));
  OK(cudaEventRecord(start, stream));
  for (int i = 0; i < 10; ++i)
    add<<<n / 256, 256, 0, stream>>>(data, n, 1);
  OK(cudaEventRecord(end, stream));
  OK(cudaStreamWaitEvent(other, end, 0));
  add<<<n / 256, 256, 0, other>>>(data, n, 100);
  int last = 0;
  OK(cudaMemcpyAsync(&last, data + n - 1, sizeof last, cudaMemcpyDeviceToHost, other));
  OK(cudaStreamSynchronize(other));
  EXPECT(last == 110);
  OK(cudaEventSynchronize(end));
  OK(cudaEventQuery(end));
  OK(cudaStreamQuery(stream));
  OK(cudaFree(data));
}

// Between two events that were recorded. One that takes no time has none.
void time_between_events(cudaStream_t stream, cudaEvent_t start, cudaEvent_t end) {
  float milliseconds = -1;
  OK(cudaEventElapsedTime(&milliseconds, start, end));
  EXPECT(milliseconds > 0 && milliseconds < 60000);
  cudaEvent_t untimed = nullptr;
  OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  OK(cudaEventRecord(untimed, stream));
  OK(cudaEventSynchronize(untimed));
  RESULT(cudaEventElapsedTime(&milliseconds, start, untimed), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  OK(cudaEventDestroy(untimed));
}

void neither_stream_nor_event(cudaStream_t stream) {
  RESULT(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
  RESULT(cudaEventDestroy(nullptr), cudaErrorInvalidResourceHandle);
  RESULT(cudaEventRecord(nullptr, stream), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

void host_functions(cudaStream_t stream) {
  int called = 0;
  OK(cudaLaunchHostFunc(
      stream, [](void* counter) { ++*static_cast<int*>(counter); }, &called));
  OK(cudaStreamAddCallback(
      stream,
      [](cudaStream_t, cudaError_t status, void* counter) {
        if (status == cudaSuccess) *static_cast<int*>(counter) += 10;
      },
      &called, 0));
  OK(cudaStreamSynchronize(stream));
  EXPECT(called == 11);
}

void streams_and_events() {
  cudaStream_t stream = nullptr;
  cudaStream_t other = nullptr;
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  float milliseconds = -1;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamCreateWithPriority(&other, cudaStreamNonBlocking, 0));
  settings_of_streams(other);
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&end));
  OK(cudaEventQuery(start)); // never recorded: complete
  RESULT(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  streams_wait_for_events(stream, other, start, end);
  time_between_events(stream, start, end);
  neither_stream_nor_event(stream);
  OK(cudaStreamSynchronize(cudaStreamLegacy));
  OK(cudaStreamSynchronize(cudaStreamPerThread));
  host_functions(stream);
  OK(cudaEventDestroy(start));
  OK(cudaEventDestroy(end));
  OK(cudaStreamDestroy(other));
  OK(cudaStreamDestroy(stream));
  RESULT(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

void functions_and_occupancy() {
  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, static_shared));
  EXPECT(attributes.sharedSizeBytes == 256 * sizeof(int));
  EXPECT(attributes.maxThreadsPerBlock > 0 && attributes.maxThreadsPerBlock <= 1024);
  OK(cudaFuncGetAttributes(&attributes, twice<int>));
  EXPECT(attributes.maxThreadsPerBlock == 128);
  OK(cudaFuncSetCacheConfig(add, cudaFuncCachePreferShared));
  OK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 48 * 1024));
  OK(cudaFuncGetAttributes(&attributes, reverse));
  EXPECT(attributes.maxDynamicSharedSizeBytes == 48 * 1024);
  char const* name = nullptr;
  OK(cudaFuncGetName(&name, add));
  EXPECT(name != nullptr && std::strstr(name, "add") != nullptr);
  std::size_t offset = 99;
  std::size_t bytes = 99;
  OK(cudaFuncGetParamInfo(reinterpret_cast<void const*>(add), 2, &offset, &bytes));
  EXPECT(offset == 12 && bytes == 4);
  RESULT(cudaFuncGetAttributes(&attributes, &failures), cudaErrorInvalidDeviceFunction);
  cudaGetLastError();

  int blocks = 0;
  int size = 0;
  int grid = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
  EXPECT(blocks >= 1);
  int with_shared = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&with_shared, add, 256, 40 * 1024));
  EXPECT(with_shared >= 1 && with_shared <= blocks);
  OK(cudaOccupancyMaxPotentialBlockSize(&grid, &size, add, 0, 0));
  EXPECT(size % 32 == 0 && size >= 32 && size <= 1024 && grid >= 1);
}

} // namespace
