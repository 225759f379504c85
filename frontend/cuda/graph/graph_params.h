// SPDX-License-Identifier: Apache-2.0
// Converts the parameter structs of the API to Work and back.
#pragma once

#include "frontend/cuda/graph/graph.h"

namespace pegasus::driver {

// Checks everything. What the structs leave open comes from the context.
CUresult to_work(Channel& channel, Context& context, CUDA_KERNEL_NODE_PARAMS_v2 const& from, Work& work);
CUresult to_work(Channel& channel, Context& context, CUDA_MEMCPY3D const& from, Work& work);
CUresult to_work(Channel& channel, Context& context, CUDA_MEMSET_NODE_PARAMS_v2 const& from, Work& work);
CUresult to_work(Channel& channel, Context& context, CUgraphNodeParams const& from, Work& work);

// The pointers to a kernel's parameters stay valid until the node is changed or destroyed.
CUDA_KERNEL_NODE_PARAMS_v2 params_of(KernelWork& work);

inline CUDA_KERNEL_NODE_PARAMS_v2 widened(CUDA_KERNEL_NODE_PARAMS_v1 const& p) {
  return {p.func,      p.gridDimX,       p.gridDimY,     p.gridDimZ, p.blockDimX, p.blockDimY,
          p.blockDimZ, p.sharedMemBytes, p.kernelParams, p.extra,    nullptr,     nullptr};
}
inline CUDA_MEMSET_NODE_PARAMS_v2 widened(CUDA_MEMSET_NODE_PARAMS_v1 const& p, CUcontext context) {
  return {p.dst, p.pitch, p.value, p.elementSize, p.width, p.height, context};
}

} // namespace pegasus::driver
