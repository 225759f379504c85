// SPDX-License-Identifier: Apache-2.0
// CUDA Runtime API, "Memory Management": allocation and pointer attributes. Host allocation flags have the
// driver's numbers (cudaHostAllocPortable is CU_MEMHOSTALLOC_PORTABLE, and so on).
#include "frontend/cudart/context.h"

using namespace pegasus::cudart;

namespace {

constexpr unsigned pitch_element_bytes = 4; // the smallest value that cuMemAllocPitch accepts

cudaError_t allocate_pitched(Driver const& driver, std::size_t width, std::size_t height, void*& pointer,
                             std::size_t& pitch) {
  pointer = nullptr;
  pitch = 0;
  if (width == 0 || height == 0) return cudaSuccess;
  CUdeviceptr address = 0;
  CUresult const result = driver.cuMemAllocPitch_v2(&address, &pitch, width, height, pitch_element_bytes);
  if (result == CUDA_SUCCESS) pointer = pointer_to(address);
  return from_driver(result);
}

cudaError_t allocate_host(void** pointer, std::size_t bytes, unsigned flags) {
  if (pointer == nullptr) return finish(cudaErrorInvalidValue);
  *pointer = nullptr;
  return with_context([&](Driver const& driver) {
    return bytes == 0 ? CUDA_SUCCESS : driver.cuMemHostAlloc(pointer, bytes, flags);
  });
}

template <class Value>
CUresult attribute(Driver const& driver, CUpointer_attribute which, void const* pointer, Value& value) {
  return driver.cuPointerGetAttribute(&value, which, device_address(pointer));
}

cudaMemoryType type_of(unsigned driver_type, unsigned managed) {
  if (managed != 0) return cudaMemoryTypeManaged;
  return driver_type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
}

} // namespace

// cudaMalloc(&p, 0) succeeds with a null pointer; cuMemAlloc refuses 0.
PEGASUS_API cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return finish(cudaErrorInvalidValue);
  *pointer = nullptr;
  return with_context([&](Driver const& driver) {
    CUdeviceptr address = 0;
    CUresult const result = bytes == 0 ? CUDA_SUCCESS : driver.cuMemAlloc_v2(&address, bytes);
    if (result == CUDA_SUCCESS) *pointer = pointer_to(address);
    return result;
  });
}

PEGASUS_API cudaError_t cudaFree(void* pointer) {
  return with_context([&](Driver const& driver) {
    return pointer == nullptr ? CUDA_SUCCESS : driver.cuMemFree_v2(device_address(pointer));
  });
}

PEGASUS_API cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                                        std::size_t height) {
  if (pointer == nullptr || pitch == nullptr) return finish(cudaErrorInvalidValue);
  return with_context(
      [&](Driver const& driver) { return allocate_pitched(driver, width, height, *pointer, *pitch); });
}

PEGASUS_API cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  std::size_t rows = 0;
  if (pitched == nullptr || __builtin_mul_overflow(extent.height, extent.depth, &rows))
    return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
    return allocate_pitched(driver, extent.width, rows, pitched->ptr, pitched->pitch);
  });
}

PEGASUS_API cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return allocate_host(pointer, bytes, cudaHostAllocDefault);
}

PEGASUS_API cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return allocate_host(pointer, bytes, flags);
}

PEGASUS_API cudaError_t cudaFreeHost(void* pointer) {
  return with_context([&](Driver const& driver) {
    return pointer == nullptr ? CUDA_SUCCESS : driver.cuMemFreeHost(pointer);
  });
}

PEGASUS_API cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  if (pointer == nullptr || bytes == 0) return finish(cudaErrorInvalidValue);
  return with_context(
      [&](Driver const& driver) { return driver.cuMemHostRegister_v2(pointer, bytes, flags); });
}

PEGASUS_API cudaError_t cudaHostUnregister(void* pointer) {
  if (pointer == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) { return driver.cuMemHostUnregister(pointer); });
}

PEGASUS_API cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  if (device == nullptr || host == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUdeviceptr address = 0;
    CUresult const result = driver.cuMemHostGetDevicePointer_v2(&address, host, flags);
    *device = result == CUDA_SUCCESS ? pointer_to(address) : nullptr;
    return result;
  });
}

PEGASUS_API cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  if (flags == nullptr || host == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) { return driver.cuMemHostGetFlags(flags, host); });
}

PEGASUS_API cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  if (free_bytes == nullptr || total_bytes == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) { return driver.cuMemGetInfo_v2(free_bytes, total_bytes); });
}

// A pointer that the driver does not know is pageable host memory: success, since CUDA 11.
PEGASUS_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, void const* pointer) {
  if (attributes == nullptr) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) -> CUresult {
    *attributes = {};
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = const_cast<void*>(pointer);
    unsigned type = 0;
    unsigned managed = 0;
    CUresult const result = attribute(driver, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer, type);
    if (result == CUDA_ERROR_INVALID_VALUE) return CUDA_SUCCESS;
    if (result != CUDA_SUCCESS) return result;
    attribute(driver, CU_POINTER_ATTRIBUTE_IS_MANAGED, pointer, managed);
    attributes->type = type_of(type, managed);
    attribute(driver, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer, attributes->device);
    CUdeviceptr address = 0;
    if (attribute(driver, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, pointer, address) == CUDA_SUCCESS)
      attributes->devicePointer = pointer_to(address);
    attributes->hostPointer = nullptr;
    void* host = nullptr;
    if (attributes->type != cudaMemoryTypeDevice &&
        attribute(driver, CU_POINTER_ATTRIBUTE_HOST_POINTER, pointer, host) == CUDA_SUCCESS)
      attributes->hostPointer = host;
    return CUDA_SUCCESS;
  });
}

PEGASUS_API cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  if (pointer == nullptr) return finish(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (bytes == 0) return finish(cudaErrorInvalidValue);
  return with_context([&](Driver const& driver) {
    CUdeviceptr address = 0;
    CUresult const result = driver.cuMemAllocManaged(&address, bytes, flags);
    if (result == CUDA_SUCCESS) *pointer = pointer_to(address);
    return result;
  });
}

namespace {

// The runtime's numbers are the driver's.
CUmemLocation place_of(cudaMemLocation const& place) {
  CUmemLocation driver_place{};
  driver_place.type = static_cast<CUmemLocationType>(place.type);
  driver_place.id = place.id;
  return driver_place;
}

} // namespace

PEGASUS_API cudaError_t cudaMemPrefetchAsync(void const* pointer, std::size_t bytes, cudaMemLocation place,
                                             unsigned flags, cudaStream_t stream) {
  return with_context([&](Driver const& driver) {
    return driver.cuMemPrefetchAsync_v2(device_address(pointer), bytes, place_of(place), flags, stream);
  });
}

PEGASUS_API cudaError_t cudaMemAdvise(void const* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                                      cudaMemLocation place) {
  return with_context([&](Driver const& driver) {
    return driver.cuMemAdvise_v2(device_address(pointer), bytes, static_cast<CUmem_advise>(advice),
                                 place_of(place));
  });
}

PEGASUS_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, std::size_t bytes,
                                                 unsigned flags) {
  return with_context([&](Driver const& driver) {
    return driver.cuStreamAttachMemAsync(stream, device_address(pointer), bytes, flags);
  });
}
