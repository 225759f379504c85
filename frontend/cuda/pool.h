// SPDX-License-Identifier: Apache-2.0
// A memory pool. Memory goes back to the accelerator when it is freed, so that a pool has attributes and
// nothing else.
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
