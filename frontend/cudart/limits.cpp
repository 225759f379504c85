// SPDX-License-Identifier: Apache-2.0
// Settings of the current context: limits, cache preferences, stream priorities. cudaLimit and cudaFuncCache
// have the numbers of CUlimit and CUfunc_cache.
#include "frontend/cudart/context.h"

using namespace pegasus::cudart;

PEGASUS_API cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return with_context(
      [&](Driver const& driver) { return driver.cuCtxSetLimit(static_cast<CUlimit>(limit), value); });
}

PEGASUS_API cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  if (value == nullptr) return finish(cudaErrorInvalidValue);
  return with_context(
      [&](Driver const& driver) { return driver.cuCtxGetLimit(value, static_cast<CUlimit>(limit)); });
}

PEGASUS_API cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  if (config == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUfunc_cache current = CU_FUNC_CACHE_PREFER_NONE;
    CUresult const result = driver.cuCtxGetCacheConfig(&current);
    *config = static_cast<cudaFuncCache>(current);
    return result;
  });
}

PEGASUS_API cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return with_context(
      [&](Driver const& driver) { return driver.cuCtxSetCacheConfig(static_cast<CUfunc_cache>(config)); });
}

// Only compute capability 3.x has a choice. Since then banks are four bytes wide; the preference is accepted
// and has no effect.
PEGASUS_API cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  if (config == nullptr) return finish(cudaErrorInvalidValue);
  *config = cudaSharedMemBankSizeFourByte;
  return with_context([](Driver const&) { return cudaSuccess; });
}

PEGASUS_API cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  if (static_cast<unsigned>(config) > static_cast<unsigned>(cudaSharedMemBankSizeEightByte))
    return finish(cudaErrorInvalidValue);
  return with_context([](Driver const&) { return cudaSuccess; });
}

PEGASUS_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return with_context(
      [&](Driver const& driver) { return driver.cuCtxGetStreamPriorityRange(least, greatest); });
}

PEGASUS_API cudaError_t cudaCtxResetPersistingL2Cache() {
  return with_context([](Driver const& driver) { return driver.cuCtxResetPersistingL2Cache(); });
}
