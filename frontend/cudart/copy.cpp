// SPDX-License-Identifier: Apache-2.0
#include "frontend/cudart/copy.h"

#include <cstring>

namespace pegasus::cudart {
namespace {

CUresult copy_now(Driver const& driver, void* target, void const* source, std::size_t bytes,
                  cudaMemcpyKind kind) {
  switch (kind) {
  case cudaMemcpyHostToDevice:
    return driver.cuMemcpyHtoD_v2(device_address(target), source, bytes);
  case cudaMemcpyDeviceToHost:
    return driver.cuMemcpyDtoH_v2(target, device_address(source), bytes);
  case cudaMemcpyDeviceToDevice:
    return driver.cuMemcpyDtoD_v2(device_address(target), device_address(source), bytes);
  default:
    return driver.cuMemcpy(device_address(target), device_address(source), bytes);
  }
}

CUresult copy_in_stream(Driver const& driver, void* target, void const* source, std::size_t bytes,
                        cudaMemcpyKind kind, cudaStream_t stream) {
  switch (kind) {
  case cudaMemcpyHostToDevice:
    return driver.cuMemcpyHtoDAsync_v2(device_address(target), source, bytes, stream);
  case cudaMemcpyDeviceToHost:
    return driver.cuMemcpyDtoHAsync_v2(target, device_address(source), bytes, stream);
  case cudaMemcpyDeviceToDevice:
    return driver.cuMemcpyDtoDAsync_v2(device_address(target), device_address(source), bytes, stream);
  default:
    return driver.cuMemcpyAsync(device_address(target), device_address(source), bytes, stream);
  }
}

cudaError_t copy(void* target, void const* source, std::size_t bytes, cudaMemcpyKind kind, Order order) {
  if (!is_copy_kind(kind)) return finish(cudaErrorInvalidMemcpyDirection);
  return with_context(
      [&](Driver const& driver) { return copy_range(driver, target, source, bytes, kind, order); });
}

cudaError_t copy_peer(void* target, int target_device, void const* source, int source_device,
                      std::size_t bytes, Order order) {
  return with_context([&](Driver const& driver) -> cudaError_t {
    CUcontext to = nullptr;
    CUcontext from = nullptr;
    if (cudaError_t const error = primary_context(driver, target_device, to); error != cudaSuccess)
      return error;
    if (cudaError_t const error = primary_context(driver, source_device, from); error != cudaSuccess)
      return error;
    if (bytes == 0) return cudaSuccess;
    CUdeviceptr const target_address = device_address(target);
    CUdeviceptr const source_address = device_address(source);
    if (order.legacy_and_waits())
      return from_driver(driver.cuMemcpyPeer(target_address, to, source_address, from, bytes));
    return from_driver(
        driver.cuMemcpyPeerAsync(target_address, to, source_address, from, bytes, order.stream));
  });
}

} // namespace

cudaError_t copy_range(Driver const& driver, void* target, void const* source, std::size_t bytes,
                       cudaMemcpyKind kind, Order order) {
  if (bytes == 0) return cudaSuccess;
  if (target == nullptr || source == nullptr) return cudaErrorInvalidValue;
  if (kind == cudaMemcpyHostToHost && order.wait) {
    if (CUresult const result = driver.cuStreamSynchronize(order.stream); result != CUDA_SUCCESS)
      return from_driver(result);
    std::memmove(target, source, bytes);
    return cudaSuccess;
  }
  if (order.legacy_and_waits()) return from_driver(copy_now(driver, target, source, bytes, kind));
  return from_driver(
      order.complete(driver, copy_in_stream(driver, target, source, bytes, kind, order.stream)));
}

CUmemorytype source_type(cudaMemcpyKind kind) {
  switch (kind) {
  case cudaMemcpyHostToHost:
  case cudaMemcpyHostToDevice:
    return CU_MEMORYTYPE_HOST;
  case cudaMemcpyDefault:
    return CU_MEMORYTYPE_UNIFIED;
  default:
    return CU_MEMORYTYPE_DEVICE;
  }
}

CUmemorytype target_type(cudaMemcpyKind kind) {
  switch (kind) {
  case cudaMemcpyHostToHost:
  case cudaMemcpyDeviceToHost:
    return CU_MEMORYTYPE_HOST;
  case cudaMemcpyDefault:
    return CU_MEMORYTYPE_UNIFIED;
  default:
    return CU_MEMORYTYPE_DEVICE;
  }
}

} // namespace pegasus::cudart

using namespace pegasus::cudart;

PEGASUS_API cudaError_t cudaMemcpy(void* target, void const* source, std::size_t bytes, cudaMemcpyKind kind) {
  return copy(target, source, bytes, kind, synchronous());
}
PEGASUS_API cudaError_t cudaMemcpy_ptds(void* target, void const* source, std::size_t bytes,
                                        cudaMemcpyKind kind) {
  return copy(target, source, bytes, kind, synchronous_per_thread());
}
PEGASUS_API cudaError_t cudaMemcpyAsync(void* target, void const* source, std::size_t bytes,
                                        cudaMemcpyKind kind, cudaStream_t stream) {
  return copy(target, source, bytes, kind, in(stream));
}
PEGASUS_API cudaError_t cudaMemcpyPeer(void* target, int target_device, void const* source, int source_device,
                                       std::size_t bytes) {
  return copy_peer(target, target_device, source, source_device, bytes, synchronous());
}
PEGASUS_API cudaError_t cudaMemcpyPeerAsync(void* target, int target_device, void const* source,
                                            int source_device, std::size_t bytes, cudaStream_t stream) {
  return copy_peer(target, target_device, source, source_device, bytes, in(stream));
}
