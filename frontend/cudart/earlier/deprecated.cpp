// SPDX-License-Identifier: Apache-2.0
// What CUDA 13 removed because other functions do it.
#include "frontend/cudart/earlier/api.h"

PEGASUS_EARLIER(cudaThreadExit) { return cudaDeviceReset(); }
PEGASUS_EARLIER(cudaThreadSynchronize) { return cudaDeviceSynchronize(); }
PEGASUS_EARLIER(cudaThreadGetLimit, std::size_t* value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}
PEGASUS_EARLIER(cudaThreadSetLimit, cudaLimit limit, std::size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
PEGASUS_EARLIER(cudaThreadGetCacheConfig, cudaFuncCache* config) { return cudaDeviceGetCacheConfig(config); }
PEGASUS_EARLIER(cudaThreadSetCacheConfig, cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }

// "This function has no effect" since devices have double precision.
PEGASUS_EARLIER(cudaSetDoubleForDevice, double*) { return cudaSuccess; }
PEGASUS_EARLIER(cudaSetDoubleForHost, double*) { return cudaSuccess; }

#if PEGASUS_CUDART_RELEASE == 12
PEGASUS_EARLIER(cudaEventElapsedTime_v2, float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return cudaEventElapsedTime(milliseconds, from, to);
}
#endif
