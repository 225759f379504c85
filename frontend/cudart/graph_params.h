// SPDX-License-Identifier: Apache-2.0
// Converts the parameters of graph nodes from the runtime API's structs to the driver's, and back. A context
// must be current.
#pragma once

#include "frontend/cudart/copy.h"
#include "frontend/cudart/registry.h"

namespace pegasus::cudart {

[[nodiscard]] cudaError_t convert(Driver const& driver, cudaKernelNodeParams const& from,
                                  CUDA_KERNEL_NODE_PARAMS& to);
[[nodiscard]] cudaError_t convert(Driver const& driver, cudaGraphNodeParams const& from,
                                  CUgraphNodeParams& to);
[[nodiscard]] CUDA_MEMSET_NODE_PARAMS convert(cudaMemsetParams const& from);

// The same bytes in both APIs.
inline CUgraphEdgeData* edges(cudaGraphEdgeData* data) { return reinterpret_cast<CUgraphEdgeData*>(data); }
inline CUgraphEdgeData const* edges(cudaGraphEdgeData const* data) {
  return reinterpret_cast<CUgraphEdgeData const*>(data);
}

[[nodiscard]] cudaKernelNodeParams convert(CUDA_KERNEL_NODE_PARAMS const& from);
[[nodiscard]] cudaMemsetParams convert(CUDA_MEMSET_NODE_PARAMS const& from);

// A range, for cudaGraph...MemcpyNode1D and the variants with symbols.
struct Range {
  void* target;
  void const* source;
  std::size_t bytes;
  cudaMemcpyKind kind;
};
[[nodiscard]] cudaError_t convert(Driver const& driver, Range const& from, CUDA_MEMCPY3D& to);

// For driver functions that take the context: `use(Driver const&, CUcontext)` returns a CUresult.
template <class Use> cudaError_t in_context(Use&& use) {
  return with_context([&](Driver const& driver) {
    CUcontext context = nullptr;
    CUresult const result = driver.cuCtxGetCurrent(&context);
    return result == CUDA_SUCCESS ? use(driver, context) : result;
  });
}

} // namespace pegasus::cudart
