// SPDX-License-Identifier: Apache-2.0
// Textures, as CUDA 11 has them: its first description of one ends before seamlessCubemap.
#include "frontend/cudart/earlier/api.h"

#include <cstddef>

PEGASUS_EARLIER(cudaCreateTextureObject, cudaTextureObject_t* texture, cudaResourceDesc const* resource,
                void const* sampling, cudaResourceViewDesc const* view) {
  if (sampling == nullptr) return cudaCreateTextureObject(texture, resource, nullptr, view);
  cudaTextureDesc whole{};
  std::memcpy(&whole, sampling, offsetof(cudaTextureDesc, seamlessCubemap));
  return cudaCreateTextureObject(texture, resource, &whole, view);
}

PEGASUS_EARLIER(cudaGetTextureObjectTextureDesc, void* sampling, cudaTextureObject_t texture) {
  if (sampling == nullptr) return cudaGetTextureObjectTextureDesc(nullptr, texture);
  cudaTextureDesc whole{};
  cudaError_t const error = cudaGetTextureObjectTextureDesc(&whole, texture);
  if (error == cudaSuccess) std::memcpy(sampling, &whole, offsetof(cudaTextureDesc, seamlessCubemap));
  return error;
}
