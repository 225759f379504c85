// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/memory_table.h"

#include "frontend/cuda/mapping_table.h"
#include "frontend/cuda/pool.h"

#include <cstdlib>

namespace pegasus::driver {

// Never destroyed: exit handlers and other threads may still call CUDA.
MemoryTable& device_memory() {
  static MemoryTable& table = *new MemoryTable;
  return table;
}

MemoryTable& host_memory() {
  static MemoryTable& table = *new MemoryTable;
  return table;
}

bool MemoryTable::insert(Allocation const& allocation) {
  std::uint64_t last = 0;
  if (allocation.bytes == 0 || __builtin_add_overflow(allocation.base, allocation.bytes - 1, &last))
    return false;
  std::unique_lock lock(mutex_);
  auto const next = ranges_.lower_bound(allocation.base);
  if (next != ranges_.end() && next->first - allocation.base < allocation.bytes) return false;
  if (next != ranges_.begin()) {
    Allocation const& previous = std::prev(next)->second;
    if (allocation.base - previous.base < previous.bytes) return false;
  }
  ranges_.emplace_hint(next, allocation.base, allocation);
  return true;
}

std::optional<Allocation> MemoryTable::find(std::uint64_t address) const {
  std::shared_lock lock(mutex_);
  auto const next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return std::nullopt;
  Allocation const& candidate = std::prev(next)->second;
  if (address - candidate.base >= candidate.bytes) return std::nullopt;
  return candidate;
}

bool in_host_window(Channel const& channel, std::uint64_t base, std::uint64_t bytes) {
  std::uint64_t const window = channel.host_window_bytes();
  return base - PEGASUS_HOST_WINDOW < window && bytes <= window - (base - PEGASUS_HOST_WINDOW);
}

bool outside_host_window(Channel const& channel, std::uint64_t base, std::uint64_t bytes) {
  return base - PEGASUS_HOST_WINDOW >= channel.host_window_bytes() &&
         (base >= PEGASUS_HOST_WINDOW || bytes <= PEGASUS_HOST_WINDOW - base);
}

std::optional<Allocation> on_device(std::uint64_t address) {
  if (auto const found = device_memory().find(address)) return found;
  auto const found = host_memory().find(address);
  return found && found->shared ? found : std::nullopt;
}

bool is_shared(std::uint64_t address) {
  auto const found = on_device(address);
  return found && found->shared;
}

// cuMemcpy treats an address that is in no table as the host's, and the program writes to what is in the host window: a
// worker must choose neither.
CUresult allocate(Channel& channel, MemoryTable& table, pegasus_memory_place place, Allocation& allocation) {
  auto const [status, reply] =
      ask_for_memory(channel, pegasus_memory_allocate_request{allocation.bytes, place, 0});
  if (status != CUDA_SUCCESS) return status;
  allocation.base = reply.address;
  allocation.id = next_id();
  allocation.shared = place != PEGASUS_MEMORY_DEVICE;
  bool const right = allocation.shared ? in_host_window(channel, allocation.base, allocation.bytes)
                                       : outside_host_window(channel, allocation.base, allocation.bytes);
  return right && table.insert(allocation) ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

CUresult check_device_range(Channel& channel, std::uint64_t address, std::uint64_t bytes) {
  auto allocation = on_device(address);
  if (allocation && allocation->origin == Allocation::Origin::reserved)
    return mapped_memory().accessible(address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  if (!allocation) { // a module variable or the device heap; the program got the address from a kernel
    auto const [status, reply] = ask(channel, pegasus_memory_range_request{address});
    if (sticky_error() != CUDA_SUCCESS) return status;
    if (status != CUDA_SUCCESS || address - reply.base >= reply.bytes) return CUDA_ERROR_INVALID_VALUE;
    allocation = Allocation{.base = reply.base, .bytes = reply.bytes};
  }
  return bytes <= allocation->bytes - (address - allocation->base) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult check_device_rows(Channel& channel, std::uint64_t address, std::uint64_t pitch,
                           std::uint64_t row_bytes, std::uint64_t rows) {
  std::uint64_t span = row_bytes;
  if (rows > 1 && (pitch < row_bytes || __builtin_mul_overflow(pitch, rows - 1, &span) ||
                   __builtin_add_overflow(span, row_bytes, &span)))
    return CUDA_ERROR_INVALID_VALUE;
  return check_device_range(channel, address, span);
}

void free_all_of(Channel& channel, Context const& context) {
  auto const mine = [&](Allocation const& a) { return a.context == &context; };
  while (auto const allocation = device_memory().take_any(mine))
    (void)free_device(channel, *allocation);
  while (auto const allocation = host_memory().take_any(mine))
    if (allocation->origin == Allocation::Origin::pinned) (void)free_pinned(channel, *allocation);
}

std::optional<Allocation> take_freeable(std::uint64_t address) {
  return device_memory().take(address, [](Allocation const& a) {
    return a.origin == Allocation::Origin::device || a.origin == Allocation::Origin::managed;
  });
}

CUresult free_device(Channel& channel, Allocation const& allocation) {
  pools().forget(allocation);
  return ask(channel, pegasus_memory_free_request{allocation.base}).status;
}

CUresult free_pinned(Channel& channel, Allocation const& allocation) {
  if (allocation.shared) return ask(channel, pegasus_memory_free_request{allocation.base}).status;
  std::free(reinterpret_cast<void*>(static_cast<std::uintptr_t>(allocation.base)));
  return CUDA_SUCCESS;
}

} // namespace pegasus::driver
