// SPDX-License-Identifier: Apache-2.0
// Copies as the runtime API defines them: `kind` says where the two sides are.
#pragma once

#include "frontend/cudart/context.h"
#include "frontend/cudart/order.h"

namespace pegasus::cudart {

// Copies a range. A context must be current.
[[nodiscard]] cudaError_t copy_range(Driver const& driver, void* target, void const* source,
                                     std::size_t bytes, cudaMemcpyKind kind, Order order);

[[nodiscard]] inline bool is_copy_kind(cudaMemcpyKind kind) {
  return static_cast<unsigned>(kind) <= static_cast<unsigned>(cudaMemcpyDefault);
}

// Copies a box. nullptr: cudaErrorInvalidValue.
[[nodiscard]] cudaError_t copy_box(cudaMemcpy3DParms const* box, Order order);

// Converts a box to the driver's struct, and back.
[[nodiscard]] cudaError_t describe(Driver const& driver, cudaMemcpy3DParms const& box, CUDA_MEMCPY3D& copy);
[[nodiscard]] cudaError_t undescribe(Driver const& driver, CUDA_MEMCPY3D const& copy, cudaMemcpy3DParms& box);

// The two sides of a copy as the driver's memory types.
[[nodiscard]] CUmemorytype source_type(cudaMemcpyKind kind);
[[nodiscard]] CUmemorytype target_type(cudaMemcpyKind kind);

} // namespace pegasus::cudart
