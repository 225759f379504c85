// SPDX-License-Identifier: Apache-2.0
// The functions that are passed to the driver behind unchanged. IN_CONTEXT: fails in a context that was lost.
#include "tests/support/wrapped_driver/wrapped.h"

using pegasus::wrapped::behind;
using pegasus::wrapped::lost;

#define FORWARD(name, parameters, arguments)                                                                 \
  CUresult name parameters { return behind().name arguments; }
#define IN_CONTEXT(name, parameters, arguments)                                                              \
  CUresult name parameters { return lost() != CUDA_SUCCESS ? lost() : behind().name arguments; }

// Not every driver has this function.
#define OPTIONAL(name, parameters, arguments)                                                                \
  CUresult name parameters {                                                                                 \
    return behind().name == nullptr ? CUDA_ERROR_NOT_SUPPORTED : behind().name arguments;                    \
  }

extern "C" {

FORWARD(cuDriverGetVersion, (int* version), (version))
FORWARD(cuModuleUnload, (CUmodule module), (module))
FORWARD(cuModuleGetGlobal, (CUdeviceptr * address, std::size_t* bytes, CUmodule module, char const* name),
        (address, bytes, module, name))
FORWARD(cuLinkAddData,
        (CUlinkState state, CUjitInputType type, void* data, std::size_t bytes, char const* name,
         unsigned count, CUjit_option* options, void** values),
        (state, type, data, bytes, name, count, options, values))
FORWARD(cuLinkComplete, (CUlinkState state, void** cubin, std::size_t* bytes), (state, cubin, bytes))
FORWARD(cuLinkDestroy, (CUlinkState state), (state))
FORWARD(cuFuncGetAttribute, (int* value, CUfunction_attribute attribute, CUfunction function),
        (value, attribute, function))
FORWARD(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value),
        (function, attribute, value))
FORWARD(cuFuncGetParamInfo, (CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes),
        (function, index, offset, bytes))
FORWARD(cuOccupancyMaxActiveBlocksPerMultiprocessor,
        (int* blocks, CUfunction function, int threads, std::size_t shared_bytes),
        (blocks, function, threads, shared_bytes))
FORWARD(cuMemHostUnregister, (void* address), (address))
FORWARD(cuStreamDestroy, (CUstream stream), (stream))
FORWARD(cuEventDestroy, (CUevent event), (event))

IN_CONTEXT(cuCtxSynchronize, (), ())
IN_CONTEXT(cuCtxSetLimit, (CUlimit limit, std::size_t value), (limit, value))
IN_CONTEXT(cuCtxGetLimit, (std::size_t * value, CUlimit limit), (value, limit))
IN_CONTEXT(cuMemFree, (CUdeviceptr address), (address))
IN_CONTEXT(cuMemcpy2DAsync, (CUDA_MEMCPY2D const* copy, CUstream stream), (copy, stream))
IN_CONTEXT(cuMemcpyHtoDAsync, (CUdeviceptr target, void const* source, std::size_t bytes, CUstream stream),
           (target, source, bytes, stream))
IN_CONTEXT(cuMemcpyDtoHAsync, (void* target, CUdeviceptr source, std::size_t bytes, CUstream stream),
           (target, source, bytes, stream))
IN_CONTEXT(cuMemcpyDtoDAsync, (CUdeviceptr target, CUdeviceptr source, std::size_t bytes, CUstream stream),
           (target, source, bytes, stream))
IN_CONTEXT(cuMemsetD8Async, (CUdeviceptr target, unsigned char value, std::size_t count, CUstream stream),
           (target, value, count, stream))
IN_CONTEXT(cuMemsetD16Async, (CUdeviceptr target, unsigned short value, std::size_t count, CUstream stream),
           (target, value, count, stream))
IN_CONTEXT(cuMemsetD32Async, (CUdeviceptr target, unsigned value, std::size_t count, CUstream stream),
           (target, value, count, stream))
IN_CONTEXT(cuMemsetD2D8Async,
           (CUdeviceptr target, std::size_t pitch, unsigned char value, std::size_t width, std::size_t rows,
            CUstream stream),
           (target, pitch, value, width, rows, stream))
IN_CONTEXT(cuMemsetD2D16Async,
           (CUdeviceptr target, std::size_t pitch, unsigned short value, std::size_t width, std::size_t rows,
            CUstream stream),
           (target, pitch, value, width, rows, stream))
IN_CONTEXT(cuMemsetD2D32Async,
           (CUdeviceptr target, std::size_t pitch, unsigned value, std::size_t width, std::size_t rows,
            CUstream stream),
           (target, pitch, value, width, rows, stream))
IN_CONTEXT(cuStreamCreateWithPriority, (CUstream * stream, unsigned flags, int priority),
           (stream, flags, priority))
IN_CONTEXT(cuStreamQuery, (CUstream stream), (stream))
IN_CONTEXT(cuStreamSynchronize, (CUstream stream), (stream))
IN_CONTEXT(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags), (stream, event, flags))
IN_CONTEXT(cuEventCreate, (CUevent * event, unsigned flags), (event, flags))
IN_CONTEXT(cuEventRecord, (CUevent event, CUstream stream), (event, stream))
IN_CONTEXT(cuEventQuery, (CUevent event), (event))
IN_CONTEXT(cuEventSynchronize, (CUevent event), (event))
IN_CONTEXT(cuEventElapsedTime, (float* milliseconds, CUevent start, CUevent end), (milliseconds, start, end))

OPTIONAL(cuMemHostAlloc, (void** memory, std::size_t bytes, unsigned flags), (memory, bytes, flags))
OPTIONAL(cuMemHostGetDevicePointer, (CUdeviceptr * address, void* memory, unsigned flags),
         (address, memory, flags))
OPTIONAL(cuMemFreeHost, (void* memory), (memory))
OPTIONAL(cuMemAddressReserve,
         (CUdeviceptr * address, std::size_t bytes, std::size_t alignment, CUdeviceptr hint,
          unsigned long long flags),
         (address, bytes, alignment, hint, flags))
OPTIONAL(cuMemAddressFree, (CUdeviceptr address, std::size_t bytes), (address, bytes))
OPTIONAL(cuMemCreate,
         (CUmemGenericAllocationHandle * handle, std::size_t bytes, CUmemAllocationProp const* properties,
          unsigned long long flags),
         (handle, bytes, properties, flags))
OPTIONAL(cuMemRelease, (CUmemGenericAllocationHandle handle), (handle))
OPTIONAL(cuMemMap,
         (CUdeviceptr address, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle handle,
          unsigned long long flags),
         (address, bytes, offset, handle, flags))
OPTIONAL(cuMemUnmap, (CUdeviceptr address, std::size_t bytes), (address, bytes))
OPTIONAL(cuMemSetAccess,
         (CUdeviceptr address, std::size_t bytes, CUmemAccessDesc const* access, std::size_t count),
         (address, bytes, access, count))
OPTIONAL(cuMemGetAllocationGranularity,
         (std::size_t * granularity, CUmemAllocationProp const* properties,
          CUmemAllocationGranularity_flags option),
         (granularity, properties, option))
OPTIONAL(cuArray3DCreate, (CUarray * array, CUDA_ARRAY3D_DESCRIPTOR const* shape), (array, shape))
OPTIONAL(cuArrayDestroy, (CUarray array), (array))
OPTIONAL(cuMipmappedArrayCreate,
         (CUmipmappedArray * array, CUDA_ARRAY3D_DESCRIPTOR const* shape, unsigned levels),
         (array, shape, levels))
OPTIONAL(cuMipmappedArrayGetLevel, (CUarray * level, CUmipmappedArray array, unsigned number),
         (level, array, number))
OPTIONAL(cuMipmappedArrayDestroy, (CUmipmappedArray array), (array))
OPTIONAL(cuMemcpy3DAsync, (CUDA_MEMCPY3D const* copy, CUstream stream), (copy, stream))
OPTIONAL(cuTexObjectCreate,
         (CUtexObject * texture, CUDA_RESOURCE_DESC const* resource, CUDA_TEXTURE_DESC const* how,
          CUDA_RESOURCE_VIEW_DESC const* view),
         (texture, resource, how, view))
OPTIONAL(cuTexObjectDestroy, (CUtexObject texture), (texture))
OPTIONAL(cuSurfObjectCreate, (CUsurfObject * surface, CUDA_RESOURCE_DESC const* resource),
         (surface, resource))
OPTIONAL(cuSurfObjectDestroy, (CUsurfObject surface), (surface))
OPTIONAL(cuStreamWaitValue32, (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags),
         (stream, address, value, flags))

} // extern "C"
