// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/kernel_limits.h"

#include "domA/device/software/exec/device_limits.h"

#include <algorithm>

namespace pegasus::software {
namespace {

constexpr auto unsupported_limit = device::Status{215}; // CUDA_ERROR_UNSUPPORTED_LIMIT

enum Limit : std::uint32_t { // CUlimit
  stack_size = 0,
  printf_fifo_size = 1,
  malloc_heap_size = 2,
  max_l2_fetch_granularity = 5,
};

} // namespace

device::Status KernelLimits::set_heap_bytes(std::uint64_t& value) {
  std::uint64_t const size =
      std::clamp<std::uint64_t>(value, 4096, std::max<std::uint64_t>(memory_.space.capacity(), 4096));
  if (heap_ != nullptr && size != limits_.malloc_heap_bytes)
    return device::Status::invalid_value; // cuCtxSetLimit: too late
  limits_.malloc_heap_bytes = value = size;
  heap_size_set_ = true;
  return device::Status::success;
}

device::Status KernelLimits::set(std::uint32_t limit, std::uint64_t& value) {
  switch (limit) {
  case stack_size:
    limits_.stack_bytes = value = std::clamp<std::uint64_t>(value, 1024, max_local_per_thread);
    return device::Status::success;
  case printf_fifo_size:
    limits_.printf_bytes = value = std::clamp<std::uint64_t>(value, 4096, 64 << 20);
    return device::Status::success;
  case malloc_heap_size:
    return set_heap_bytes(value);
  case max_l2_fetch_granularity: // a hint without effect here
    value = std::min<std::uint64_t>(value, 128);
    return device::Status::success;
  default:
    return unsupported_limit;
  }
}

// The device heap is created when the first kernel runs; until then its size can be set. The default size is
// CUDA's and few programs use it, so a domain with little memory left gets a smaller heap. A size set by the
// program is never reduced.
device::Status KernelLimits::ready_heap() {
  constexpr std::uint64_t least = 4096;
  for (Limits limits = limits_; heap_ == nullptr; limits.malloc_heap_bytes /= 2) {
    heap_ = std::make_unique<DeviceHeap>(memory_.space, limits.malloc_heap_bytes);
    if (memory_.task.charge_used()) {
      limits_ = limits;
      break;
    }
    heap_.reset();
    memory_.task.give_back();
    if (heap_size_set_ || limits.malloc_heap_bytes / 2 < least) {
      state_.diagnose(
          "a kernel was not launched: the device heap does not fit the domain's share of device memory; "
          "set a smaller one with cudaDeviceSetLimit(cudaLimitMallocHeapSize)");
      return device::Status::out_of_memory;
    }
  }
  return device::Status::success;
}

} // namespace pegasus::software
