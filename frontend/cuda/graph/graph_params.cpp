// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/graph/graph_params.h"

#include "frontend/cuda/copy.h"

namespace pegasus::driver {
namespace {

CUresult checked(Channel& channel, Work converted, Work& work) {
  CUresult const status = check(channel, converted);
  if (status == CUDA_SUCCESS) work = std::move(converted);
  return status;
}

} // namespace

CUresult to_work(Channel& channel, Context& context, CUDA_KERNEL_NODE_PARAMS_v2 const& from, Work& work) {
  KernelWork kernel;
  kernel.function = from.func != nullptr ? static_cast<void*>(from.func) : static_cast<void*>(from.kern);
  kernel.shape = {{from.gridDimX, from.gridDimY, from.gridDimZ},
                  {from.blockDimX, from.blockDimY, from.blockDimZ},
                  from.sharedMemBytes,
                  {}};
  kernel.context = from.func == nullptr && from.ctx != nullptr ? from.ctx : context.handle;
  if (auto const* const before = std::get_if<KernelWork>(&work)) { // the parameters change no attributes
    kernel.cooperative = before->cooperative;
    kernel.shape.attributes = before->shape.attributes;
  }
  CUresult const status = fill_in(channel, kernel, from.kernelParams, from.extra);
  if (status == CUDA_SUCCESS) work = std::move(kernel);
  return status;
}

CUresult to_work(Channel& channel, Context&, CUDA_MEMCPY3D const& from, Work& work) {
  if (from.srcLOD != 0 || from.dstLOD != 0) return CUDA_ERROR_INVALID_VALUE;
  return checked(channel, CopyWork{settled(from)}, work);
}

CUresult to_work(Channel& channel, Context&, CUDA_MEMSET_NODE_PARAMS_v2 const& from, Work& work) {
  return checked(channel, FillWork{from}, work);
}

CUresult to_work(Channel& channel, Context& context, CUgraphNodeParams const& from, Work& work) {
  switch (from.type) {
  case CU_GRAPH_NODE_TYPE_KERNEL: {
    auto const& k = from.kernel;
    return to_work(channel, context,
                   CUDA_KERNEL_NODE_PARAMS_v2{k.func, k.gridDimX, k.gridDimY, k.gridDimZ, k.blockDimX,
                                              k.blockDimY, k.blockDimZ, k.sharedMemBytes, k.kernelParams,
                                              k.extra, k.kern, k.ctx},
                   work);
  }
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return from.memcpy.flags != 0 ? CUDA_ERROR_INVALID_VALUE
                                  : to_work(channel, context, from.memcpy.copyParams, work);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return to_work(channel, context, from.memset, work);
  case CU_GRAPH_NODE_TYPE_HOST:
    return checked(channel, HostWork{from.host.fn, from.host.userData}, work);
  case CU_GRAPH_NODE_TYPE_EMPTY:
    work = EmptyWork{};
    return CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return checked(channel, WaitWork{from.eventWait.event}, work);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return checked(channel, RecordWork{from.eventRecord.event}, work);
  case CU_GRAPH_NODE_TYPE_GRAPH: // the caller handles its graph, which is not work
    work = ChildWork{};
    return CUDA_SUCCESS;
  default:
    return from.type <= CU_GRAPH_NODE_TYPE_CONDITIONAL ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
  }
}

CUDA_KERNEL_NODE_PARAMS_v2 params_of(KernelWork& work) {
  CUDA_KERNEL_NODE_PARAMS_v2 params{};
  params.gridDimX = work.shape.grid[0];
  params.gridDimY = work.shape.grid[1];
  params.gridDimZ = work.shape.grid[2];
  params.blockDimX = work.shape.block[0];
  params.blockDimY = work.shape.block[1];
  params.blockDimZ = work.shape.block[2];
  params.sharedMemBytes = work.shape.dynamic_shared;
  if (handles().kind_of(work.function) == Kind::kernel)
    params.kern = static_cast<CUkernel>(work.function);
  else
    params.func = static_cast<CUfunction>(work.function);
  params.ctx = work.context;
  work.pointers.clear();
  if (Function const* const function = find_function(work.function))
    for (pegasus_parameter const& p : function->parameters)
      work.pointers.push_back(work.parameters.data() + p.offset);
  params.kernelParams = work.pointers.empty() ? nullptr : work.pointers.data();
  return params;
}

} // namespace pegasus::driver
