// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/driver_memory.h"

namespace pegasus::cuda {

using device::Status;

Status DriverMemory::room(memory::Room& room) {
  std::size_t left = 0, total = 0;
  CUresult const result = driver_.cuMemGetInfo(&left, &total);
  if (result == CUDA_SUCCESS) room = {left, total};
  return state_.answer(result);
}

Status DriverMemory::reserve(std::uint64_t bytes, device::Address& base) {
  CUdeviceptr made = 0;
  CUresult const result = driver_.cuMemAlloc(&made, bytes);
  base = made;
  return state_.answer(result);
}

Status DriverMemory::release(device::Range range) {
  return state_.synchronized(driver_.cuMemFree(range.base)); // freeing waits for the device
}

// Zeroed here and not in unmap(): the previous owner may have been killed.
Status DriverMemory::map(device::Range range) {
  return state_.answer(transfers_.scrub(range.base, range.bytes));
}

Status DriverMemory::unmap(device::Range) { // the zeroes must not arrive at the next owner's
  CUresult const result = transfers_.scrubber().finish();
  return result == CUDA_SUCCESS ? Status::success : state_.synchronized(result);
}

void DriverMemory::lose_task() {
  if (state_.lost() == Status::success) state_.lose(Status::unknown);
}

} // namespace pegasus::cuda
