// SPDX-License-Identifier: Apache-2.0
// The toolkit's prototypes: with them the compiler checks every exported function.
#pragma once

#include <cstddef>
#include <cstdint>

// The shared library exports what these headers declare. The archive hides it, as NVIDIA's does: a library
// that embeds the archive does not export the runtime. PEGASUS_VISIBLE is empty for the archive.
#ifdef PEGASUS_CUDART_SHARED
#define PEGASUS_VISIBLE __attribute__((visibility("default")))
#pragma GCC visibility push(default)
#else
#define PEGASUS_VISIBLE
#endif
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <cudaProfiler.h>
#ifdef PEGASUS_CUDART_SHARED
#pragma GCC visibility pop
#endif

#define PEGASUS_API extern "C" PEGASUS_VISIBLE

namespace pegasus::cudart {

#if PEGASUS_CUDART_RELEASE == 12
inline constexpr int runtime_version = 12090;
#elif PEGASUS_CUDART_RELEASE == 11
inline constexpr int runtime_version = 11080;
#else
inline constexpr int runtime_version = CUDART_VERSION;
#endif

inline CUdeviceptr device_address(void const* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }
inline void* pointer_to(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

// The variants for the per-thread default stream (*_ptsz, *_ptds) treat stream 0 as the per-thread stream.
inline cudaStream_t per_thread(cudaStream_t stream) {
  return stream == nullptr ? cudaStreamPerThread : stream;
}

} // namespace pegasus::cudart
