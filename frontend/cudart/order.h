// SPDX-License-Identifier: Apache-2.0
// The stream of a copy or fill, and whether the call waits for it.
#pragma once

#include "frontend/cudart/driver.h"

namespace pegasus::cudart {

struct Order {
  cudaStream_t stream;
  bool wait;

  // cudaMemcpy and similar calls: the driver's synchronous functions use this stream.
  [[nodiscard]] bool legacy_and_waits() const { return wait && stream == nullptr; }

  // Call it after submitting asynchronous work.
  [[nodiscard]] CUresult complete(Driver const& driver, CUresult submitted) const {
    return submitted == CUDA_SUCCESS && wait ? driver.cuStreamSynchronize(stream) : submitted;
  }
};

inline Order synchronous() { return {nullptr, true}; }
inline Order synchronous_per_thread() { return {cudaStreamPerThread, true}; }
inline Order in(cudaStream_t stream) { return {stream, false}; }

} // namespace pegasus::cudart
