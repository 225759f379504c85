// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/task_memory.h"

#include <algorithm>

namespace pegasus::software {

device::Status TaskMemory::allocate(std::uint64_t bytes, device::Address& address) {
  if (bytes == 0) return Status::invalid_value;
  device::Address const base = memory_.allocate(bytes); // address space only: pages come on first access
  if (base == 0) return Status::out_of_memory;
  if (!charge_used()) {
    (void)memory_.free(base);
    return Status::out_of_memory;
  }
  allocated_.insert(base);
  address = base;
  return Status::success;
}

device::Status TaskMemory::free(device::Address address) {
  if (address == 0) return Status::success;
  if (allocated_.erase(address) == 0 || !memory_.free(address)) return Status::invalid_value;
  give_back();
  return Status::success;
}

device::Status TaskMemory::range(device::Address address, device::Range& range) const {
  device::Range const found = memory_.range(address);
  if (found.bytes == 0) return Status::not_found;
  range = found;
  return Status::success;
}

void TaskMemory::info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) const {
  std::uint64_t const used = memory_.used();
  std::uint64_t const own = bytes_ > used ? bytes_ - used : 0;
  total_bytes = std::min(bytes_, quota_.total_bytes());
  free_bytes = std::min({own, quota_.told_free_bytes(), total_bytes});
}

bool TaskMemory::reserve(std::uint64_t more) {
  std::uint64_t with = 0;
  return !__builtin_add_overflow(memory_.used(), more, &with) && account_.charge(with);
}

} // namespace pegasus::software
