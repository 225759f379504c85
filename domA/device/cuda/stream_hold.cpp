// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/stream_hold.h"

#include <atomic>
#include <utility>

namespace pegasus::cuda {

StreamHold::StreamHold(Driver const& driver, bool maps_host_memory)
    : driver_(driver),
      possible_(maps_host_memory && driver.cuStreamWaitValue32 != nullptr &&
                driver.cuMemHostAlloc != nullptr && driver.cuMemHostGetDevicePointer != nullptr &&
                driver.cuMemFreeHost != nullptr) {}

bool StreamHold::make_word() {
  void* memory = nullptr;
  if (driver_.cuMemHostAlloc(&memory, sizeof *word_, CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS) return false;
  if (memory == nullptr) return false;
  word_ = static_cast<std::uint32_t*>(memory);
  *word_ = turn_;
  return driver_.cuMemHostGetDevicePointer(&word_on_device_, word_, 0) == CUDA_SUCCESS;
}

void StreamHold::hold(CUstream stream) {
  if (!possible_) return;
  possible_ =
      (word_ != nullptr || make_word()) &&
      driver_.cuStreamWaitValue32(stream, word_on_device_, ++turn_, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS;
  if (!possible_) close();
}

void StreamHold::release() {
  if (word_ != nullptr) std::atomic_ref(*word_).store(turn_, std::memory_order_release);
}

void StreamHold::close() {
  release();
  if (word_ != nullptr) driver_.cuMemFreeHost(std::exchange(word_, nullptr));
}

} // namespace pegasus::cuda
