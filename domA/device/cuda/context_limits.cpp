// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/context_limits.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace pegasus::cuda {
namespace {

// The maximum that a program may request; nullopt if programs may not set this limit.
std::optional<std::uint64_t> most_of(std::uint32_t which) {
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

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::uint64_t>::max() : result;
}

} // namespace

std::uint64_t ContextLimits::reserved(CUlimit which, std::uint64_t value) const {
  constexpr std::uint64_t stack = 1024, printf = 1 << 20, heap = 8 << 20; // of a new context
  switch (which) {
  case CU_LIMIT_STACK_SIZE:
    return product(std::max(value, stack) - stack, facts_.resident_threads);
  case CU_LIMIT_PRINTF_FIFO_SIZE:
    return std::max(value, printf) - printf;
  case CU_LIMIT_MALLOC_HEAP_SIZE:
    return std::max(value, heap) - heap;
  default:
    return 0;
  }
}

void ContextLimits::in_force(CUlimit which, std::uint64_t value) {
  memory_.unpin(reserved_[which]);
  reserved_[which] = reserved(which, value);
  memory_.pin(reserved_[which]);
  if (which == CU_LIMIT_PRINTF_FIFO_SIZE) state_.printf_bytes(value);
}

device::Status ContextLimits::set(std::uint32_t limit, std::uint64_t& value) {
  using device::Status;
  std::optional<std::uint64_t> const most = most_of(limit);
  if (!most) return Status::not_supported;
  auto const which = static_cast<CUlimit>(limit);
  if (value > *most) return Status::invalid_value;
  std::uint64_t const before = reserved_[which];
  auto const fits = [&](std::uint64_t wanted) {
    return memory_.reserve(std::max(reserved(which, wanted), before) - before);
  };
  if (!fits(value)) return Status::out_of_memory;
  CUresult result = driver_.cuCtxSetLimit(which, value);
  if (result == CUDA_SUCCESS) {
    std::size_t now = 0;
    result = driver_.cuCtxGetLimit(&now, which);
    bool const known = result == CUDA_SUCCESS && now <= *most;
    // Where the share has no room for what the driver rounds up, the program is charged what it asked for.
    in_force(which, known && fits(now) ? now : value);
    if (known) value = now;
  }
  memory_.give_back();
  return state_.answer(result);
}

} // namespace pegasus::cuda
