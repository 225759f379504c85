// SPDX-License-Identifier: Apache-2.0
// Properties of a stream: flags, priority, id, attributes.
#include "frontend/cudart/context.h"

using namespace pegasus::cudart;

static_assert(sizeof(cudaStreamAttrValue) == sizeof(CUstreamAttrValue)); // the same ids and values

PEGASUS_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  if (priority == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) { return driver.cuStreamGetPriority(stream, priority); });
}

PEGASUS_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  if (flags == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) { return driver.cuStreamGetFlags(stream, flags); });
}

PEGASUS_API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  if (id == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) { return driver.cuStreamGetId(stream, id); });
}

PEGASUS_API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* ordinal) {
  if (ordinal == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUdevice device = 0;
    CUresult const result = driver.cuStreamGetDevice(stream, &device);
    if (result == CUDA_SUCCESS) *ordinal = device;
    return result;
  });
}

PEGASUS_API cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                               cudaStreamAttrValue* value) {
  return with_context([&](Driver const& driver) {
    return driver.cuStreamGetAttribute(stream, static_cast<CUstreamAttrID>(attribute),
                                       reinterpret_cast<CUstreamAttrValue*>(value));
  });
}

PEGASUS_API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                               cudaStreamAttrValue const* value) {
  return with_context([&](Driver const& driver) {
    return driver.cuStreamSetAttribute(stream, static_cast<CUstreamAttrID>(attribute),
                                       reinterpret_cast<CUstreamAttrValue const*>(value));
  });
}

PEGASUS_API cudaError_t cudaStreamCopyAttributes(cudaStream_t target, cudaStream_t source) {
  return with_context([&](Driver const& driver) { return driver.cuStreamCopyAttributes(target, source); });
}
