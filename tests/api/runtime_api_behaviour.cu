// SPDX-License-Identifier: Apache-2.0
// Checks the documented behaviour of the CUDA runtime API, as a program sees it. Run by `pegasus run`.
// Prints one line for each expectation that fails, and a summary; exits with 0 if all hold. Sections run
// in the order of main(). The last but one corrupts the context and resets the device; afterwards CUDA
// must work again.
#include "tests/api/runtime_api_execution.cuh"
#include "tests/api/runtime_api_expect.h"
#include "tests/api/runtime_api_kernels.cuh"
#include "tests/api/runtime_api_memory.cuh"

#include <cstring>
#include <cuda_profiler_api.h>
#include <thread>

namespace {

void device_questions() {
  int count = 0;
  int device = -1;
  int value = 0;
  OK(cudaGetDeviceCount(&count));
  EXPECT(count >= 1);
  OK(cudaGetDevice(&device));
  EXPECT(device == 0);
  OK(cudaSetDevice(0));
  RESULT(cudaSetDevice(count), cudaErrorInvalidDevice);
  RESULT(cudaSetDevice(-1), cudaErrorInvalidDevice);
  RESULT(cudaGetLastError(), cudaErrorInvalidDevice);
  RESULT(cudaGetDeviceCount(nullptr), cudaErrorInvalidValue);
  OK(cudaRuntimeGetVersion(&value));
  EXPECT(value == CUDART_VERSION);
  OK(cudaDriverGetVersion(&value));
  EXPECT(value >= CUDART_VERSION);

  cudaDeviceProp properties;
  OK(cudaGetDeviceProperties(&properties, 0));
  EXPECT(properties.name[0] != 0);
  EXPECT(properties.warpSize == 32);
  EXPECT(properties.maxThreadsPerBlock == 1024);
  EXPECT(properties.totalGlobalMem > 0);
  EXPECT(properties.major >= 7);
  EXPECT(properties.sharedMemPerBlock >= 48 * 1024);
  EXPECT(properties.maxGridSize[0] == 2147483647);
  OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  EXPECT(value == properties.multiProcessorCount && value > 0);
  OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMinor, 0));
  EXPECT(value == properties.minor);
  OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlock, 0));
  EXPECT(static_cast<std::size_t>(value) == properties.sharedMemPerBlock);
  RESULT(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(255), 0), cudaErrorInvalidValue);
  RESULT(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count), cudaErrorInvalidDevice);
  RESULT(cudaGetDeviceProperties(&properties, count), cudaErrorInvalidDevice);
  cudaDeviceProp wanted{};
  OK(cudaChooseDevice(&value, &wanted));
  EXPECT(value == 0);
  RESULT(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
  OK(cudaDeviceCanAccessPeer(&value, 0, 0));
  EXPECT(value == 0);
  cudaGetLastError();
}

void limits_and_settings() {
  std::size_t value = 0;
  int least = -1;
  int greatest = 1;
  cudaFuncCache cache = cudaFuncCachePreferEqual;
  OK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
  EXPECT(value > 0);
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
  EXPECT(value >= 4096);
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(greatest <= least);
  OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  OK(cudaDeviceGetCacheConfig(&cache));
  OK(cudaProfilerStart());
  OK(cudaProfilerStop());
}

void errors_of_a_thread() {
  RESULT(cudaMalloc(nullptr, 1), cudaErrorInvalidValue);
  RESULT(cudaPeekAtLastError(), cudaErrorInvalidValue);
  std::thread([] {
    OK(cudaPeekAtLastError());
    OK(cudaDeviceSynchronize());
  }).join();
  OK(cudaDeviceSynchronize());
  RESULT(cudaGetLastError(), cudaErrorInvalidValue);
  OK(cudaGetLastError());
  EXPECT(std::strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") == 0);
  EXPECT(std::strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
  void* managed = nullptr;
  int has_managed = 0;
  OK(cudaDeviceGetAttribute(&has_managed, cudaDevAttrManagedMemory, 0));
  if (has_managed == 0) RESULT(cudaMallocManaged(&managed, 64), cudaErrorNotSupported);
  cudaGetLastError();
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  OK(cudaGetDriverEntryPointByVersion("cuMemAlloc", &entry, 13000, cudaEnableDefault, &found));
  EXPECT(entry != nullptr && found == cudaDriverEntryPointSuccess);
  OK(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &entry, 13000, cudaEnableDefault, &found));
  EXPECT(entry == nullptr && found == cudaDriverEntryPointSymbolNotFound);
}

// The error of an illegal address is asynchronous and sticky. A reset of the device clears it.
void corruption_and_reset() {
  void* memory = nullptr;
  write_to<<<1, 1>>>(reinterpret_cast<int*>(0x10));
  OK(cudaGetLastError());
  RESULT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  RESULT(cudaGetLastError(), cudaErrorIllegalAddress);
  RESULT(cudaMalloc(&memory, 16), cudaErrorIllegalAddress);
  RESULT(cudaPeekAtLastError(), cudaErrorIllegalAddress);
  OK(cudaDeviceReset());
  OK(cudaGetLastError());
}

void after_reset() {
  int* data = nullptr;
  int value = 0;
  OK(cudaMalloc(&data, sizeof value));
  OK(cudaMemset(data, 0, sizeof value));
  add<<<1, 1>>>(data, 1, 21);
  OK(cudaGetLastError());
  OK(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 21);
  OK(cudaMemcpyFromSymbol(&value, variable, sizeof value));
  EXPECT(value == 11); // the module was loaded again
  OK(cudaFree(data));
}

} // namespace

int main() {
  device_questions();
  limits_and_settings();
  allocation();
  pointers();
  copies();
  copies_of_rows();
  launches();
  symbols();
  streams_and_events();
  functions_and_occupancy();
  errors_of_a_thread();
  corruption_and_reset();
  after_reset();
  std::printf("runtime_api_behaviour: %d checks, %d failures\n", checks, failures);
  return failures == 0 ? 0 : 1;
}
