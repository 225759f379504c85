// SPDX-License-Identifier: Apache-2.0
#include "frontend/cudart/graph_params.h"

#include <cstring>

namespace pegasus::cudart {
cudaError_t convert(Driver const& driver, cudaKernelNodeParams const& from, CUDA_KERNEL_NODE_PARAMS& to) {
  CUcontext context = nullptr;
  CUfunction function = nullptr;
  Symbol* const symbol = find_kernel(static_cast<void const*>(from.func));
  if (symbol == nullptr) return cudaErrorInvalidDeviceFunction;
  if (CUresult const result = driver.cuCtxGetCurrent(&context); result != CUDA_SUCCESS)
    return from_driver(result);
  if (cudaError_t const error = resolve_kernel(driver, context, *symbol, function); error != cudaSuccess)
    return error;
  to = {};
  to.func = function;
  to.gridDimX = from.gridDim.x;
  to.gridDimY = from.gridDim.y;
  to.gridDimZ = from.gridDim.z;
  to.blockDimX = from.blockDim.x;
  to.blockDimY = from.blockDim.y;
  to.blockDimZ = from.blockDim.z;
  to.sharedMemBytes = from.sharedMemBytes;
  to.kernelParams = from.kernelParams;
  to.extra = from.extra;
  return cudaSuccess;
}

cudaError_t convert(Driver const& driver, cudaGraphNodeParams const& from, CUgraphNodeParams& to) {
  to = {};
  to.type = static_cast<CUgraphNodeType>(from.type); // the same numbers
  switch (from.type) {
  case cudaGraphNodeTypeKernel: {
    CUDA_KERNEL_NODE_PARAMS kernel{};
    cudaKernelNodeParams const plain{from.kernel.func,         from.kernel.gridDim,
                                     from.kernel.blockDim,     from.kernel.sharedMemBytes,
                                     from.kernel.kernelParams, from.kernel.extra};
    if (cudaError_t const error = convert(driver, plain, kernel); error != cudaSuccess) return error;
    to.kernel = {kernel.func,         kernel.gridDimX,  kernel.gridDimY,  kernel.gridDimZ,
                 kernel.blockDimX,    kernel.blockDimY, kernel.blockDimZ, kernel.sharedMemBytes,
                 kernel.kernelParams, kernel.extra,     nullptr,          nullptr};
    return cudaSuccess;
  }
  case cudaGraphNodeTypeMemcpy:
    to.memcpy.flags = from.memcpy.flags;
    if (CUresult const result = driver.cuCtxGetCurrent(&to.memcpy.copyCtx); result != CUDA_SUCCESS)
      return from_driver(result);
    return describe(driver, from.memcpy.copyParams, to.memcpy.copyParams);
  case cudaGraphNodeTypeMemset:
    to.memset = {device_address(from.memset.dst),
                 from.memset.pitch,
                 from.memset.value,
                 from.memset.elementSize,
                 from.memset.width,
                 from.memset.height,
                 nullptr};
    return from_driver(driver.cuCtxGetCurrent(&to.memset.ctx));
  case cudaGraphNodeTypeHost:
    to.host = {from.host.fn, from.host.userData};
    return cudaSuccess;
  case cudaGraphNodeTypeGraph:
    to.graph.graph = from.graph.graph;
    to.graph.ownership = static_cast<CUgraphChildGraphNodeOwnership>(from.graph.ownership);
    return cudaSuccess;
  case cudaGraphNodeTypeWaitEvent:
    to.eventWait.event = from.eventWait.event;
    return cudaSuccess;
  case cudaGraphNodeTypeEventRecord:
    to.eventRecord.event = from.eventRecord.event;
    return cudaSuccess;
  case cudaGraphNodeTypeMemAlloc:
    static_assert(sizeof to.alloc == sizeof from.alloc); // the same fields
    std::memcpy(&to.alloc, &from.alloc, sizeof to.alloc);
    return cudaSuccess;
  case cudaGraphNodeTypeMemFree:
    to.free.dptr = device_address(from.free.dptr);
    return cudaSuccess;
  case cudaGraphNodeTypeEmpty:
    return cudaSuccess;
  default:
    return cudaErrorNotSupported;
  }
}

CUDA_MEMSET_NODE_PARAMS convert(cudaMemsetParams const& from) {
  return {device_address(from.dst), from.pitch, from.value, from.elementSize, from.width, from.height};
}

cudaKernelNodeParams convert(CUDA_KERNEL_NODE_PARAMS const& from) {
  Symbol const* const symbol = from.func == nullptr ? nullptr : find_kernel(from.func);
  void* function = from.func; // not a registered kernel: only its handle is known
  if (symbol != nullptr) function = const_cast<void*>(symbol->host);
  if (from.func == nullptr) function = from.kern;
  return {function,
          dim3(from.gridDimX, from.gridDimY, from.gridDimZ),
          dim3(from.blockDimX, from.blockDimY, from.blockDimZ),
          from.sharedMemBytes,
          from.kernelParams,
          from.extra};
}

cudaMemsetParams convert(CUDA_MEMSET_NODE_PARAMS const& from) {
  return {pointer_to(from.dst), from.pitch, from.value, from.elementSize, from.width, from.height};
}

cudaError_t convert(Driver const& driver, Range const& from, CUDA_MEMCPY3D& to) {
  cudaMemcpy3DParms box{};
  box.kind = from.kind;
  box.srcPtr = {const_cast<void*>(from.source), from.bytes, from.bytes, 1};
  box.dstPtr = {from.target, from.bytes, from.bytes, 1};
  box.extent = {from.bytes, 1, 1};
  return describe(driver, box, to);
}

} // namespace pegasus::cudart
