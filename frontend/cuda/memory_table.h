// SPDX-License-Identifier: Apache-2.0
// The ranges of memory that this process knows: device allocations, module variables it asked for, reserved addresses,
// pinned host memory. With it a wrong pointer is refused at once and synchronously, as in CUDA, and cuMemcpy can
// distinguish host from device.
#pragma once

#include "frontend/cuda/context.h"

#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>

namespace pegasus::driver {

struct Module;

struct Allocation {
  enum class Origin { device, managed, variable, pinned, registered, reserved, graph, array };
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  Origin origin = Origin::device;
  unsigned flags = 0; // of cuMemHostAlloc, cuMemHostRegister
  Context* context = nullptr;
  Module* module = nullptr; // of a variable
  std::uint64_t id = 0;
  bool shared = false;         // in the host window: the program and its kernels use the same bytes
  CUmemoryPool pool = nullptr; // that it is from
};

// Disjoint ranges of one address space. Thread-safe.
class MemoryTable {
public:
  // Returns false if the range is empty, ends behind the last address or overlaps a known range.
  bool insert(Allocation const& allocation);
  // the range that contains address
  [[nodiscard]] std::optional<Allocation> find(std::uint64_t address) const;
  // Removes and returns the range that starts at base and satisfies the predicate.
  template <class Predicate> std::optional<Allocation> take(std::uint64_t base, Predicate predicate) {
    std::unique_lock lock(mutex_);
    auto const found = ranges_.find(base);
    if (found == ranges_.end() || !predicate(found->second)) return std::nullopt;
    Allocation const allocation = found->second;
    ranges_.erase(found);
    return allocation;
  }
  // Removes and returns any one range that satisfies the predicate.
  template <class Predicate> std::optional<Allocation> take_any(Predicate predicate) {
    std::unique_lock lock(mutex_);
    for (auto i = ranges_.begin(); i != ranges_.end(); ++i)
      if (predicate(i->second)) {
        Allocation const allocation = i->second;
        ranges_.erase(i);
        return allocation;
      }
    return std::nullopt;
  }

private:
  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, Allocation> ranges_;
};

MemoryTable& device_memory();
MemoryTable& host_memory(); // by host address

// The allocation with this address, if kernels can use it.
std::optional<Allocation> on_device(std::uint64_t address);
bool is_shared(std::uint64_t address);

// All of the range; none of it.
bool in_host_window(Channel const& channel, std::uint64_t base, std::uint64_t bytes);
bool outside_host_window(Channel const& channel, std::uint64_t base, std::uint64_t bytes);
// Memory for `allocation.bytes` bytes, and its entry in a table. CUDA_ERROR_UNKNOWN: the worker's answer cannot be right.
CUresult allocate(Channel& channel, MemoryTable& table, pegasus_memory_place place, Allocation& allocation);

// Is [address, address + bytes) in one allocation? Asks the worker about addresses that are not in the table.
CUresult check_device_range(Channel& channel, std::uint64_t address, std::uint64_t bytes);
// The same for `rows` rows, `pitch` bytes apart.
CUresult check_device_rows(Channel& channel, std::uint64_t address, std::uint64_t pitch,
                           std::uint64_t row_bytes, std::uint64_t rows);

// Takes what cuMemFree frees out of its table.
std::optional<Allocation> take_freeable(std::uint64_t address);
// What no table has any more: device memory, what cuMemHostAlloc allocated.
CUresult free_device(Channel& channel, Allocation const& allocation);
CUresult free_pinned(Channel& channel, Allocation const& allocation);
// Frees a context's device and host memory.
void free_all_of(Channel& channel, Context const& context);

} // namespace pegasus::driver
