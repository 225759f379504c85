// SPDX-License-Identifier: Apache-2.0
// Properties of a stream: flags, priority, id, attributes.
#include "frontend/cudart/context.h"

using namespace pegasus::cudart;

namespace {

static_assert(sizeof(cudaStreamAttrValue) == sizeof(CUstreamAttrValue)); // the same ids and values

cudaError_t get_priority(cudaStream_t stream, int* priority) {
  if (priority == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) { return driver.cuStreamGetPriority(stream, priority); });
}

cudaError_t get_flags(cudaStream_t stream, unsigned* flags) {
  if (flags == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) { return driver.cuStreamGetFlags(stream, flags); });
}

cudaError_t get_id(cudaStream_t stream, unsigned long long* id) {
  if (id == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) { return driver.cuStreamGetId(stream, id); });
}

cudaError_t get_device(cudaStream_t stream, int* ordinal) {
  if (ordinal == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUdevice device = 0;
    CUresult const result = driver.cuStreamGetDevice(stream, &device);
    if (result == CUDA_SUCCESS) *ordinal = device;
    return result;
  });
}

cudaError_t get_attribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue* value) {
  return with_context([&](Driver const& driver) {
    return driver.cuStreamGetAttribute(stream, static_cast<CUstreamAttrID>(attribute),
                                       reinterpret_cast<CUstreamAttrValue*>(value));
  });
}

cudaError_t set_attribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue const* value) {
  return with_context([&](Driver const& driver) {
    return driver.cuStreamSetAttribute(stream, static_cast<CUstreamAttrID>(attribute),
                                       reinterpret_cast<CUstreamAttrValue const*>(value));
  });
}

cudaError_t copy_attributes(cudaStream_t target, cudaStream_t source) {
  return with_context([&](Driver const& driver) { return driver.cuStreamCopyAttributes(target, source); });
}

} // namespace

PEGASUS_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return get_priority(stream, priority);
}
PEGASUS_API cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t stream, int* priority) {
  return get_priority(per_thread(stream), priority);
}

PEGASUS_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return get_flags(stream, flags);
}
PEGASUS_API cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t stream, unsigned* flags) {
  return get_flags(per_thread(stream), flags);
}

PEGASUS_API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return get_id(stream, id);
}
PEGASUS_API cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long* id) {
  return get_id(per_thread(stream), id);
}

PEGASUS_API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return get_device(stream, device);
}
PEGASUS_API cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t stream, int* device) {
  return get_device(per_thread(stream), device);
}

PEGASUS_API cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                               cudaStreamAttrValue* value) {
  return get_attribute(stream, attribute, value);
}
PEGASUS_API cudaError_t cudaStreamGetAttribute_ptsz(cudaStream_t stream, cudaStreamAttrID attribute,
                                                    cudaStreamAttrValue* value) {
  return get_attribute(per_thread(stream), attribute, value);
}

PEGASUS_API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                               cudaStreamAttrValue const* value) {
  return set_attribute(stream, attribute, value);
}
PEGASUS_API cudaError_t cudaStreamSetAttribute_ptsz(cudaStream_t stream, cudaStreamAttrID attribute,
                                                    cudaStreamAttrValue const* value) {
  return set_attribute(per_thread(stream), attribute, value);
}

PEGASUS_API cudaError_t cudaStreamCopyAttributes(cudaStream_t target, cudaStream_t source) {
  return copy_attributes(target, source);
}
PEGASUS_API cudaError_t cudaStreamCopyAttributes_ptsz(cudaStream_t target, cudaStream_t source) {
  return copy_attributes(per_thread(target), per_thread(source));
}
