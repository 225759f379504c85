// SPDX-License-Identifier: Apache-2.0
// The CUDA driver, loaded at run time: neither the build nor the start of a worker needs one. The names are
// those of cuda.h, which maps them to the newest versions (cuMemAlloc is cuMemAlloc_v2), but for those of
// older_versions.h.
#pragma once

#include "domA/device/cuda/older_versions.h"
#include "domA/device/device.h"

#include <memory>
#include <string>
#include <tl/expected.hpp>

namespace pegasus::cuda {

#define PEGASUS_DRIVER_FUNCTIONS(FUNCTION)                                                                   \
  FUNCTION(cuInit)                                                                                           \
  FUNCTION(cuDriverGetVersion)                                                                               \
  FUNCTION(cuGetErrorName)                                                                                   \
  FUNCTION(cuDeviceGetCount)                                                                                 \
  FUNCTION(cuDeviceGet)                                                                                      \
  FUNCTION(cuDeviceGetName)                                                                                  \
  FUNCTION(cuDeviceGetUuid)                                                                                  \
  FUNCTION(cuDeviceTotalMem)                                                                                 \
  FUNCTION(cuDeviceGetAttribute)                                                                             \
  FUNCTION(cuCtxCreate)                                                                                      \
  FUNCTION(cuCtxDestroy)                                                                                     \
  FUNCTION(cuCtxSetCurrent)                                                                                  \
  FUNCTION(cuCtxSynchronize)                                                                                 \
  FUNCTION(cuCtxSetLimit)                                                                                    \
  FUNCTION(cuCtxGetLimit)                                                                                    \
  FUNCTION(cuModuleLoadDataEx)                                                                               \
  FUNCTION(cuModuleUnload)                                                                                   \
  FUNCTION(cuModuleGetFunction)                                                                              \
  FUNCTION(cuModuleGetGlobal)                                                                                \
  FUNCTION(cuLinkCreate)                                                                                     \
  FUNCTION(cuLinkAddData)                                                                                    \
  FUNCTION(cuLinkComplete)                                                                                   \
  FUNCTION(cuLinkDestroy)                                                                                    \
  FUNCTION(cuFuncGetAttribute)                                                                               \
  FUNCTION(cuFuncSetAttribute)                                                                               \
  FUNCTION(cuFuncGetParamInfo)                                                                               \
  FUNCTION(cuOccupancyMaxActiveBlocksPerMultiprocessor)                                                      \
  FUNCTION(cuLaunchKernelEx)                                                                                 \
  FUNCTION(cuMemGetInfo)                                                                                     \
  FUNCTION(cuMemAlloc)                                                                                       \
  FUNCTION(cuMemFree)                                                                                        \
  FUNCTION(cuMemHostRegister)                                                                                \
  FUNCTION(cuMemHostUnregister)                                                                              \
  FUNCTION(cuMemcpy2DAsync)                                                                                  \
  FUNCTION(cuMemcpyHtoDAsync)                                                                                \
  FUNCTION(cuMemcpyDtoHAsync)                                                                                \
  FUNCTION(cuMemcpyDtoDAsync)                                                                                \
  FUNCTION(cuMemsetD8Async)                                                                                  \
  FUNCTION(cuMemsetD16Async)                                                                                 \
  FUNCTION(cuMemsetD32Async)                                                                                 \
  FUNCTION(cuMemsetD2D8Async)                                                                                \
  FUNCTION(cuMemsetD2D16Async)                                                                               \
  FUNCTION(cuMemsetD2D32Async)                                                                               \
  FUNCTION(cuStreamCreateWithPriority)                                                                       \
  FUNCTION(cuStreamDestroy)                                                                                  \
  FUNCTION(cuStreamQuery)                                                                                    \
  FUNCTION(cuStreamSynchronize)                                                                              \
  FUNCTION(cuStreamWaitEvent)                                                                                \
  FUNCTION(cuEventCreate)                                                                                    \
  FUNCTION(cuEventDestroy)                                                                                   \
  FUNCTION(cuEventRecord)                                                                                    \
  FUNCTION(cuEventQuery)                                                                                     \
  FUNCTION(cuEventSynchronize)                                                                               \
  FUNCTION(cuEventElapsedTime)

// Used if the driver has them.
#define PEGASUS_OPTIONAL_DRIVER_FUNCTIONS(FUNCTION)                                                          \
  FUNCTION(cuMemAddressReserve)                                                                              \
  FUNCTION(cuMemAddressFree)                                                                                 \
  FUNCTION(cuMemCreate)                                                                                      \
  FUNCTION(cuMemRelease)                                                                                     \
  FUNCTION(cuMemMap)                                                                                         \
  FUNCTION(cuMemUnmap)                                                                                       \
  FUNCTION(cuMemSetAccess)                                                                                   \
  FUNCTION(cuMemGetAllocationGranularity)                                                                    \
  FUNCTION(cuMemHostAlloc)                                                                                   \
  FUNCTION(cuMemHostGetDevicePointer)                                                                        \
  FUNCTION(cuMemFreeHost)                                                                                    \
  FUNCTION(cuStreamWaitValue32)                                                                              \
  FUNCTION(cuOccupancyMaxActiveClusters)                                                                     \
  FUNCTION(cuOccupancyMaxPotentialClusterSize)                                                               \
  FUNCTION(cuTensorMapEncodeTiled)                                                                           \
  FUNCTION(cuTensorMapEncodeIm2col)                                                                          \
  FUNCTION(cuTensorMapEncodeIm2colWide)                                                                      \
  FUNCTION(cuTensorMapReplaceAddress)                                                                        \
  FUNCTION(cuArray3DCreate)                                                                                  \
  FUNCTION(cuArrayDestroy)                                                                                   \
  FUNCTION(cuMipmappedArrayCreate)                                                                           \
  FUNCTION(cuMipmappedArrayGetLevel)                                                                         \
  FUNCTION(cuMipmappedArrayDestroy)                                                                          \
  FUNCTION(cuMemcpy3DAsync)                                                                                  \
  FUNCTION(cuTexObjectCreate)                                                                                \
  FUNCTION(cuTexObjectDestroy)                                                                               \
  FUNCTION(cuSurfObjectCreate)                                                                               \
  FUNCTION(cuSurfObjectDestroy)

struct Driver {
#define PEGASUS_DRIVER_MEMBER(name) decltype(&::name) name = nullptr;
  PEGASUS_DRIVER_FUNCTIONS(PEGASUS_DRIVER_MEMBER)
  PEGASUS_OPTIONAL_DRIVER_FUNCTIONS(PEGASUS_DRIVER_MEMBER)
#undef PEGASUS_DRIVER_MEMBER

  // Loads and initializes it; never unloaded. The error says what is missing.
  [[nodiscard]] static tl::expected<Driver, std::string> load(std::string const& library);
  [[nodiscard]] std::string name_of(CUresult) const; // "CUDA_ERROR_NO_DEVICE"
};

[[nodiscard]] inline device::Status status_of(CUresult result) { return static_cast<device::Status>(result); }

// Of a call that submits work. Not ready is no answer to it, and would be taken for a launch that is to go on.
[[nodiscard]] inline CUresult submitted(CUresult result) {
  return result == CUDA_ERROR_NOT_READY ? CUDA_ERROR_UNKNOWN : result;
}

} // namespace pegasus::cuda
