// SPDX-License-Identifier: Apache-2.0
// The driver API as a table of typed pointers, filled at the first use from libcuda.so.1. Names are those of
// the exported symbols: cuda.h maps cuMemAlloc to cuMemAlloc_v2 and so on.
#pragma once

#include "frontend/cudart/api.h"

// clang-format off
#define PEGASUS_DRIVER_CALLS(CALL)                                                                          \
  CALL(cuInit) CALL(cuDriverGetVersion) CALL(cuGetProcAddress_v2) CALL(cuDeviceGet)                         \
  CALL(cuDeviceGetCount) CALL(cuDeviceGetName) CALL(cuDeviceGetUuid_v2) CALL(cuDeviceTotalMem_v2)           \
  CALL(cuDeviceGetAttribute) CALL(cuDeviceGetPCIBusId) CALL(cuDeviceGetByPCIBusId)                          \
  CALL(cuDeviceCanAccessPeer) CALL(cuDeviceGetP2PAttribute) CALL(cuDeviceGetDefaultMemPool)                 \
  CALL(cuDeviceGetMemPool) CALL(cuDeviceSetMemPool) CALL(cuDevicePrimaryCtxRetain)                          \
  CALL(cuDevicePrimaryCtxRelease_v2) CALL(cuDevicePrimaryCtxReset_v2) CALL(cuDevicePrimaryCtxGetState)      \
  CALL(cuDevicePrimaryCtxSetFlags_v2) CALL(cuCtxGetCurrent) CALL(cuCtxSetCurrent)                           \
  CALL(cuCtxPushCurrent_v2) CALL(cuCtxPopCurrent_v2) CALL(cuCtxGetDevice) CALL(cuCtxGetFlags)               \
  CALL(cuCtxGetId) CALL(cuCtxSynchronize) CALL(cuCtxGetLimit) CALL(cuCtxSetLimit)                           \
  CALL(cuCtxGetCacheConfig) CALL(cuCtxSetCacheConfig) CALL(cuCtxGetStreamPriorityRange)                     \
  CALL(cuCtxResetPersistingL2Cache) CALL(cuCtxEnablePeerAccess) CALL(cuCtxDisablePeerAccess)                \
  CALL(cuModuleLoadData) CALL(cuModuleUnload) CALL(cuModuleGetFunction) CALL(cuModuleGetGlobal_v2)          \
  CALL(cuLibraryLoadData) CALL(cuLibraryLoadFromFile) CALL(cuLibraryUnload) CALL(cuLibraryGetKernel)        \
  CALL(cuLibraryGetGlobal) CALL(cuLibraryGetKernelCount) CALL(cuLibraryEnumerateKernels)                    \
  CALL(cuKernelGetFunction) CALL(cuKernelGetName) CALL(cuKernelSetAttribute) CALL(cuFuncGetAttribute)       \
  CALL(cuFuncSetAttribute) CALL(cuFuncSetCacheConfig) CALL(cuFuncGetParamInfo) CALL(cuLaunchKernel)         \
  CALL(cuLaunchKernelEx) CALL(cuLaunchCooperativeKernel) CALL(cuLaunchHostFunc) CALL(cuMemAlloc_v2)         \
  CALL(cuMemAllocPitch_v2) CALL(cuMemFree_v2) CALL(cuMemHostAlloc) CALL(cuMemFreeHost)                      \
  CALL(cuMemHostRegister_v2) CALL(cuMemHostUnregister) CALL(cuMemHostGetDevicePointer_v2)                   \
  CALL(cuMemHostGetFlags) CALL(cuMemGetInfo_v2) CALL(cuPointerGetAttribute) CALL(cuMemAllocAsync)           \
  CALL(cuMemFreeAsync) CALL(cuMemAllocFromPoolAsync) CALL(cuMemPoolCreate) CALL(cuMemPoolDestroy)           \
  CALL(cuMemPoolTrimTo) CALL(cuMemPoolSetAttribute) CALL(cuMemPoolGetAttribute) CALL(cuMemPoolSetAccess)    \
  CALL(cuMemPoolGetAccess) CALL(cuMemcpy) CALL(cuMemcpyAsync) CALL(cuMemcpyHtoD_v2) CALL(cuMemcpyDtoH_v2)   \
  CALL(cuMemcpyDtoD_v2) CALL(cuMemcpyHtoDAsync_v2) CALL(cuMemcpyDtoHAsync_v2) CALL(cuMemcpyDtoDAsync_v2)    \
  CALL(cuMemcpyPeer) CALL(cuMemcpyPeerAsync) CALL(cuMemcpy2DUnaligned_v2) CALL(cuMemcpy2DAsync_v2)          \
  CALL(cuMemcpy3D_v2) CALL(cuMemcpy3DAsync_v2) CALL(cuMemsetD8_v2) CALL(cuMemsetD8Async)                    \
  CALL(cuMemsetD2D8_v2) CALL(cuMemsetD2D8Async) CALL(cuStreamCreateWithPriority) CALL(cuStreamDestroy_v2)   \
  CALL(cuStreamQuery) CALL(cuStreamSynchronize) CALL(cuStreamWaitEvent) CALL(cuStreamAddCallback)           \
  CALL(cuStreamGetPriority) CALL(cuStreamGetFlags) CALL(cuStreamGetId) CALL(cuStreamGetDevice)              \
  CALL(cuStreamSetAttribute) CALL(cuStreamGetAttribute) CALL(cuStreamCopyAttributes) CALL(cuEventCreate)    \
  CALL(cuEventDestroy_v2) CALL(cuEventRecord) CALL(cuEventRecordWithFlags) CALL(cuEventQuery)               \
  CALL(cuEventSynchronize) CALL(cuEventElapsedTime_v2)                                                      \
  CALL(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)                                                \
  CALL(cuOccupancyAvailableDynamicSMemPerBlock) CALL(cuOccupancyMaxPotentialClusterSize)                    \
  CALL(cuOccupancyMaxActiveClusters) CALL(cuProfilerStart) CALL(cuProfilerStop) CALL(cuGraphCreate)        \
  CALL(cuGraphDestroy) CALL(cuGraphClone) CALL(cuGraphNodeFindInClone) CALL(cuGraphDestroyNode)            \
  CALL(cuGraphNodeGetType) CALL(cuGraphGetNodes) CALL(cuGraphGetRootNodes) CALL(cuGraphGetEdges_v2)        \
  CALL(cuGraphNodeGetDependencies_v2) CALL(cuGraphNodeGetDependentNodes_v2) CALL(cuGraphAddDependencies_v2)\
  CALL(cuGraphRemoveDependencies_v2) CALL(cuGraphChildGraphNodeGetGraph) CALL(cuGraphAddKernelNode_v2)     \
  CALL(cuGraphKernelNodeGetParams_v2) CALL(cuGraphKernelNodeSetParams_v2)                                  \
  CALL(cuGraphExecKernelNodeSetParams_v2) CALL(cuGraphAddMemcpyNode) CALL(cuGraphMemcpyNodeGetParams)      \
  CALL(cuGraphMemcpyNodeSetParams) CALL(cuGraphExecMemcpyNodeSetParams) CALL(cuGraphAddMemsetNode)         \
  CALL(cuGraphMemsetNodeGetParams) CALL(cuGraphMemsetNodeSetParams) CALL(cuGraphExecMemsetNodeSetParams)   \
  CALL(cuGraphAddHostNode) CALL(cuGraphHostNodeGetParams) CALL(cuGraphHostNodeSetParams)                   \
  CALL(cuGraphExecHostNodeSetParams) CALL(cuGraphAddEmptyNode) CALL(cuGraphAddChildGraphNode)              \
  CALL(cuGraphExecChildGraphNodeSetParams) CALL(cuGraphAddEventRecordNode)                                 \
  CALL(cuGraphEventRecordNodeGetEvent) CALL(cuGraphEventRecordNodeSetEvent)                                \
  CALL(cuGraphExecEventRecordNodeSetEvent) CALL(cuGraphAddEventWaitNode) CALL(cuGraphEventWaitNodeGetEvent)\
  CALL(cuGraphEventWaitNodeSetEvent) CALL(cuGraphExecEventWaitNodeSetEvent) CALL(cuGraphAddNode_v2)        \
  CALL(cuGraphNodeSetParams) CALL(cuGraphExecNodeSetParams) CALL(cuGraphKernelNodeCopyAttributes)          \
  CALL(cuGraphKernelNodeGetAttribute) CALL(cuGraphKernelNodeSetAttribute) CALL(cuGraphInstantiateWithFlags)\
  CALL(cuGraphInstantiateWithParams) CALL(cuGraphExecGetFlags) CALL(cuGraphExecDestroy) CALL(cuGraphUpload)\
  CALL(cuGraphLaunch) CALL(cuGraphExecUpdate_v2) CALL(cuGraphNodeSetEnabled) CALL(cuGraphNodeGetEnabled)   \
  CALL(cuDeviceGraphMemTrim) CALL(cuDeviceGetGraphMemAttribute) CALL(cuStreamBeginCapture_v2)              \
  CALL(cuStreamBeginCaptureToGraph) CALL(cuStreamEndCapture) CALL(cuStreamIsCapturing)                     \
  CALL(cuStreamGetCaptureInfo_v3) CALL(cuStreamUpdateCaptureDependencies_v2)                               \
  CALL(cuThreadExchangeStreamCaptureMode)
// clang-format on

namespace pegasus::cudart {

struct Driver {
#define PEGASUS_DRIVER_MEMBER(name) decltype(&::name) name = nullptr;
  PEGASUS_DRIVER_CALLS(PEGASUS_DRIVER_MEMBER)
#undef PEGASUS_DRIVER_MEMBER
};

// nullptr: there is no libcuda.so.1; the first call has said so on stderr. Any thread.
[[nodiscard]] Driver const* driver();

} // namespace pegasus::cudart
