// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/memory/memory.h"

#include "base/zeroed_memory.h"
#include "domA/device/software/exec/memory/windows.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <sys/mman.h>
#include <utility>

namespace pegasus::software {

namespace {

constexpr std::uint64_t page = 4096;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

// At least one granule of address space separates two allocations: an access beyond the end of
// one is detected.
constexpr std::uint64_t reserved_bytes(std::uint64_t bytes) {
  return round_up(bytes, Memory::granule) + Memory::granule;
}

} // namespace

// Offsets are relative to global_window. Free ranges are stored by offset (to join neighbours) and by
// size (best fit).
struct Memory::Space {
  explicit Space(std::uint64_t bytes) : memory(bytes), base(memory.bytes().data()) {
    if (base != nullptr) put_idle(0, bytes); // else every reserve() fails
  }

  base::ZeroedMemory memory;
  std::byte* base;
  std::map<std::uint64_t, std::uint64_t> idle;             // offset -> bytes
  std::set<std::pair<std::uint64_t, std::uint64_t>> sizes; // (bytes, offset) of idle

  void put_idle(std::uint64_t offset, std::uint64_t bytes) {
    idle.emplace(offset, bytes);
    sizes.emplace(bytes, offset);
  }
  void take_idle(std::map<std::uint64_t, std::uint64_t>::iterator it) {
    sizes.erase({it->second, it->first});
    idle.erase(it);
  }
};

// The address space is twice the capacity, with room for the gaps and for fragmentation; the enforced
// limit is `capacity_`.
Memory::Memory(std::uint64_t capacity_bytes) : capacity_(std::min(capacity_bytes, global_window_bytes / 4)) {
  space_ = std::make_unique<Space>(round_up(capacity_ * 2 + page, page));
}

Memory::~Memory() = default;

Address Memory::allocate(std::uint64_t bytes) {
  Address const base = reserve(bytes);
  if (base == 0 || ranges_.add({base, bytes}, memory::Owner::task, round_up(bytes, granule))) return base;
  release({base, bytes});
  return 0;
}

bool Memory::free(Address base) {
  device::Range const range = ranges_.of(base, memory::Owner::task);
  if (range.bytes == 0) return false;
  ranges_.remove(base, memory::Owner::task);
  scrub(range);
  release(range);
  return true;
}

Address Memory::reserve(std::uint64_t bytes) {
  Space& s = *space_;
  if (bytes == 0 || bytes > capacity_ || round_up(bytes, granule) > capacity_ - std::min(capacity_, used()))
    return 0;
  auto const fit = s.sizes.lower_bound({reserved_bytes(bytes), 0});
  if (fit == s.sizes.end()) return 0;
  auto const it = s.idle.find(fit->second);
  std::uint64_t const offset = it->first;
  std::uint64_t const left = it->second - reserved_bytes(bytes);
  s.take_idle(it);
  if (left != 0) s.put_idle(offset + reserved_bytes(bytes), left);
  return global_window + offset;
}

void Memory::release(device::Range reserved) {
  Space& s = *space_;
  std::uint64_t offset = reserved.base - global_window;
  std::uint64_t bytes = reserved_bytes(reserved.bytes);
  auto after = s.idle.lower_bound(offset);
  if (after != s.idle.end() && after->first == offset + bytes) {
    bytes += after->second;
    s.take_idle(after);
  }
  auto before = s.idle.lower_bound(offset);
  if (before != s.idle.begin() && (--before)->first + before->second == offset) {
    offset = before->first;
    bytes += before->second;
    s.take_idle(before);
  }
  s.put_idle(offset, bytes);
}

// Linux zeroes whole pages, this function the rest.
void Memory::scrub(device::Range reserved) {
  std::byte* const base = space_->base;
  std::uint64_t const offset = reserved.base - global_window;
  std::uint64_t const end = offset + reserved.bytes;
  std::uint64_t const first = round_up(offset, page);
  std::uint64_t const last = end / page * page;
  if (first >= last) {
    std::memset(base + offset, 0, reserved.bytes);
    return;
  }
  std::memset(base + offset, 0, first - offset);
  std::memset(base + last, 0, end - last);
  if (madvise(base + first, last - first, MADV_DONTNEED) != 0) std::memset(base + first, 0, last - first);
}

std::byte* Memory::resolve(Address address, std::uint64_t bytes) const {
  device::Range const in = ranges_.containing(address);
  if (in.bytes == 0 || bytes > in.bytes - (address - in.base)) return nullptr;
  return space_->base + (address - global_window);
}

std::uintptr_t Memory::view() const {
  return reinterpret_cast<std::uintptr_t>(space_->base) - static_cast<std::uintptr_t>(global_window);
}

} // namespace pegasus::software
