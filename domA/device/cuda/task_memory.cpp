// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/task_memory.h"

#include <algorithm>
#include <string>

namespace pegasus::cuda {

// Scrubbed here and not at free(): the previous owner may have been killed.
device::Status TaskMemory::allocate(std::uint64_t bytes, device::Address& address) {
  if (bytes == 0) return Status::invalid_value;
  if (!charge(bytes)) {
    tell_refusal(bytes);
    return Status::out_of_memory;
  }
  CUdeviceptr made = 0;
  CUresult result = driver_.cuMemAlloc(&made, bytes);
  if (result == CUDA_SUCCESS && !allocations_.add(made, bytes, true))
    result = CUDA_ERROR_UNKNOWN; // and it is not freed: it may be the program's own already
  else if (result == CUDA_SUCCESS && (result = transfers_.scrub(made, bytes)) != CUDA_SUCCESS)
    give_back(made, bytes);
  if (result != CUDA_SUCCESS) {
    charge_used();
    return state_.answer(result);
  }
  address = made;
  return Status::success;
}

// Memory that could not be zeroed. If it cannot be freed either, kernels could read its last owner's data there: the
// context ends, and the memory with it.
void TaskMemory::give_back(device::Address address, std::uint64_t bytes) {
  allocations_.remove(address, true);
  if (driver_.cuMemFree(address) == CUDA_SUCCESS) return;
  add_other(bytes);
  if (state_.lost() == Status::success) state_.lose(Status::unknown);
}

device::Status TaskMemory::free(device::Address address) {
  if (address == 0) return Status::success;
  if (!allocations_.own(address)) return Status::invalid_value;
  CUresult result = transfers_.scrubber().finish();
  if (result == CUDA_SUCCESS) result = driver_.cuMemFree(address);
  if (result == CUDA_SUCCESS) {
    allocations_.remove(address, true);
    charge_used();
  }
  return state_.synchronized(result); // freeing waits for the device
}

device::Status TaskMemory::info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) {
  std::size_t left = 0, total = 0;
  CUresult const result = driver_.cuMemGetInfo(&left, &total);
  if (result != CUDA_SUCCESS) return state_.answer(result);
  free_bytes = left;
  total_bytes = total;
  if (share_ != nullptr) {
    total_bytes = std::min(total_bytes, share_->total_bytes());
    free_bytes = std::min(share_->told_free_bytes(free_bytes), total_bytes);
  }
  return Status::success;
}

device::Status TaskMemory::range(device::Address address, device::Range& range) const {
  device::Range const found = allocations_.containing(address);
  if (found.bytes == 0) return Status::not_found;
  range = found;
  return Status::success;
}

void TaskMemory::tell_refusal(std::uint64_t bytes) {
  if (share_ == nullptr || refusal_told_) return;
  std::string const why = share_->why_refused(bytes);
  if (why.empty()) return;
  refusal_told_ = true;
  state_.diagnose(why);
}

bool TaskMemory::charge(std::uint64_t more) {
  std::uint64_t wanted = 0;
  if (__builtin_add_overflow(used(), more, &wanted)) return false;
  return share_ == nullptr || share_->charge(wanted);
}

void TaskMemory::end() {
  if (share_ != nullptr) (void)share_->charge(0);
}

} // namespace pegasus::cuda
