// SPDX-License-Identifier: Apache-2.0
// A memory pool. Freed memory returns to the accelerator at once, so a pool has only attributes.
#pragma once

#include "frontend/cuda/context.h"

namespace pegasus::driver {

struct Pool {
  using Handle = CUmemoryPool;
  static constexpr Kind kind = Kind::pool;

  CUmemoryPool handle = nullptr;
  bool is_default = false;
  std::array<std::atomic<cuuint64_t>, CU_MEMPOOL_ATTR_USED_MEM_HIGH + 1> attributes{};
};

} // namespace pegasus::driver
