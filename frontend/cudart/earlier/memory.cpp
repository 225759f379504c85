// SPDX-License-Identifier: Apache-2.0
// Memory, where CUDA 13 changed it: places are structs instead of numbers of devices, and attributes of pointers grew.
#include "frontend/cudart/earlier/api.h"

#include <cstddef>

using pegasus::cudart::per_thread;

namespace {

cudaMemLocation location_of(int device) {
  cudaMemLocation location{};
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return location;
}

} // namespace

PEGASUS_EARLIER(cudaMemAdvise, void const* memory, std::size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(memory, bytes, advice, location_of(device));
}

PEGASUS_EARLIER(cudaMemPrefetchAsync, void const* memory, std::size_t bytes, int device,
                cudaStream_t stream) {
  return cudaMemPrefetchAsync(memory, bytes, location_of(device), 0, stream);
}
PEGASUS_EARLIER(cudaMemPrefetchAsync_ptsz, void const* memory, std::size_t bytes, int device,
                cudaStream_t stream) {
  return cudaMemPrefetchAsync(memory, bytes, location_of(device), 0, per_thread(stream));
}
#if PEGASUS_CUDART_RELEASE == 12
PEGASUS_EARLIER(cudaMemPrefetchAsync_v2_ptsz, void const* memory, std::size_t bytes, cudaMemLocation location,
                unsigned flags, cudaStream_t stream) {
  return cudaMemPrefetchAsync(memory, bytes, location, flags, per_thread(stream));
}
#endif

PEGASUS_EARLIER(cudaPointerGetAttributes, void* attributes, void const* pointer) {
  if (attributes == nullptr) return cudaPointerGetAttributes(nullptr, pointer);
  cudaPointerAttributes ours{};
  cudaError_t const error = cudaPointerGetAttributes(&ours, pointer);
  if (error == cudaSuccess) std::memcpy(attributes, &ours, offsetof(cudaPointerAttributes, reserved));
  return error;
}
