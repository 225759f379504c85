// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/context_limits.h"

#include <algorithm>
#include <optional>

namespace pegasus::cuda {
namespace {

// The maximum that a program may request; nullopt if programs may not set this limit.
std::optional<std::uint64_t> most_of(CUlimit which) {
  switch (which) {
  case CU_LIMIT_STACK_SIZE:
    return 512 << 10; // CUDA's maximum of local memory per thread
  case CU_LIMIT_PRINTF_FIFO_SIZE:
    return std::uint64_t{64} << 20; // kernels' text passes through host memory
  case CU_LIMIT_MALLOC_HEAP_SIZE:
    return std::uint64_t{1} << 40;
  case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
    return 128;
  default:
    return std::nullopt;
  }
}

} // namespace

std::uint64_t ContextLimits::reserved(CUlimit which, std::uint64_t value) const {
  constexpr std::uint64_t stack = 1024, printf = 1 << 20, heap = 8 << 20; // of a new context
  switch (which) {
  case CU_LIMIT_STACK_SIZE:
    return (std::max(value, stack) - stack) * facts_.resident_threads;
  case CU_LIMIT_PRINTF_FIFO_SIZE:
    return std::max(value, printf) - printf;
  case CU_LIMIT_MALLOC_HEAP_SIZE:
    return std::max(value, heap) - heap;
  default:
    return 0;
  }
}

void ContextLimits::in_force(CUlimit which, std::uint64_t value) {
  memory_.remove_other(reserved_[which]);
  reserved_[which] = reserved(which, value);
  memory_.add_other(reserved_[which]);
  if (which == CU_LIMIT_PRINTF_FIFO_SIZE) state_.printf_bytes(value);
}

device::Status ContextLimits::set(std::uint32_t limit, std::uint64_t& value) {
  using device::Status;
  auto const which = static_cast<CUlimit>(limit);
  std::optional<std::uint64_t> const most = most_of(which);
  if (!most) return Status::not_supported;
  if (value > *most) return Status::invalid_value;
  std::uint64_t const before = reserved_[which];
  if (!memory_.charge(std::max(reserved(which, value), before) - before)) return Status::out_of_memory;
  CUresult result = driver_.cuCtxSetLimit(which, value);
  std::size_t now = 0;
  if (result == CUDA_SUCCESS) result = driver_.cuCtxGetLimit(&now, which);
  if (result == CUDA_SUCCESS) {
    in_force(which, now);
    value = now;
  }
  memory_.charge_used();
  return state_.answer(result);
}

} // namespace pegasus::cuda
