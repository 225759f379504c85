// SPDX-License-Identifier: Apache-2.0
// Attributes of kernels and functions of the driver, as CUDA 11 has them: of libcudart.so.11.0 alone.
#include "frontend/cudart/earlier/api.h"

#include <cstddef>

using pegasus::cudart::runtime_version;

PEGASUS_EARLIER(cudaFuncGetAttributes, void* attributes, void const* kernel) {
  if (attributes == nullptr) return cudaFuncGetAttributes(nullptr, kernel);
  cudaFuncAttributes ours{};
  cudaError_t const error = cudaFuncGetAttributes(&ours, kernel);
  if (error == cudaSuccess) std::memcpy(attributes, &ours, offsetof(cudaFuncAttributes, clusterDimMustBeSet));
  return error;
}

PEGASUS_EARLIER(cudaGetDriverEntryPoint, char const* name, void** function, unsigned long long flags) {
  return cudaGetDriverEntryPointByVersion(name, function, runtime_version, flags, nullptr);
}
extern "C" decltype(cudaGetDriverEntryPointByVersion) cudaGetDriverEntryPointByVersion_ptsz;
PEGASUS_EARLIER(cudaGetDriverEntryPoint_ptsz, char const* name, void** function, unsigned long long flags) {
  return cudaGetDriverEntryPointByVersion_ptsz(name, function, runtime_version, flags, nullptr);
}
