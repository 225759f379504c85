// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/mapped_pages.h"

#include "base/zeroed_memory.h"

#include <algorithm>
#include <sys/mman.h>

namespace pegasus::software {

device::Status MappedPages::reserve_addresses(std::uint64_t bytes, std::uint64_t alignment,
                                              device::Address hint, device::Address& base) {
  base = addresses_.take(bytes, alignment, hint);
  return base == 0 ? Status::out_of_memory : Status::success;
}

device::Status MappedPages::free_addresses(device::Range range) {
  addresses_.give_back(range);
  return Status::success;
}

device::Status MappedPages::create(std::uint64_t bytes, MemoryId& memory) {
  if (!memory_.hold(bytes)) return Status::out_of_memory;
  memory = addresses_.take(bytes, device::mapping_granule, 0);
  if (memory != 0) return Status::success;
  memory_.let_go(bytes);
  return Status::out_of_memory;
}

device::Status MappedPages::destroy(MemoryId memory, std::uint64_t bytes) {
  if (auto const kept = kept_.find(memory); kept != kept_.end()) {
    decommit({memory, kept->second});
    kept_.erase(kept);
  }
  addresses_.give_back({memory, bytes});
  memory_.let_go(bytes);
  return Status::success;
}

device::Status MappedPages::map(device::Range range, MemoryId memory) {
  if (!commit(range)) return Status::out_of_memory;
  auto const kept = kept_.find(memory);
  if (kept == kept_.end()) return Status::success;
  move(range.base, {memory, std::min(range.bytes, kept->second)});
  if (range.bytes < kept->second) return Status::success; // its end stays here
  decommit({memory, kept->second});
  kept_.erase(kept);
  return Status::success;
}

device::Status MappedPages::unmap(device::Range range, MemoryId memory, bool keep) {
  if (keep) {
    std::uint64_t const before = kept_.contains(memory) ? kept_.at(memory) : 0;
    if (before < range.bytes && !commit({memory, range.bytes})) return Status::out_of_memory;
    kept_[memory] = std::max(before, range.bytes);
    move(memory, range);
  }
  decommit(range);
  return Status::success;
}

bool MappedPages::commit(device::Range range) {
  return mprotect(host(range.base), range.bytes, PROT_READ | PROT_WRITE) == 0;
}

// Linux may have no room for one more border between addresses with and without access; then they stay accessible.
void MappedPages::decommit(device::Range range) {
  memory_.scrub(range);
  (void)mprotect(host(range.base), range.bytes, PROT_NONE);
}

// In steps, so that little of it is there twice.
void MappedPages::move(device::Address to, device::Range from) {
  for (; from.bytes != 0; from.base += device::mapping_granule, from.bytes -= device::mapping_granule) {
    base::copy_into_zeroes({host(to), device::mapping_granule}, {host(from.base), device::mapping_granule});
    memory_.scrub({from.base, device::mapping_granule});
    to += device::mapping_granule;
  }
}

std::byte* MappedPages::host(device::Address address) const {
  return reinterpret_cast<std::byte*>(memory_.view(address) + static_cast<std::uintptr_t>(address));
}

} // namespace pegasus::software
