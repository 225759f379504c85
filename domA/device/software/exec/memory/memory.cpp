// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/memory/memory.h"

#include "domA/device/software/exec/memory/windows.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <sys/mman.h>
#include <utility>

namespace pegasus::software {

namespace {
constexpr std::uint64_t granule = 256; // CUDA promises 256-byte alignment of cudaMalloc's result
constexpr std::uint64_t page = 4096;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }
} // namespace

// Offsets are relative to global_window. Free ranges are stored by offset (to join neighbours) and by
// size (best fit).
struct Memory::State {
  std::byte* base = nullptr;
  std::uint64_t mapped = 0;
  std::uint64_t capacity = 0;
  std::uint64_t used = 0;
  std::map<std::uint64_t, std::uint64_t> live;             // offset -> requested bytes
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
  void scrub(std::uint64_t offset, std::uint64_t bytes) const;
};

// At least one granule of address space separates two allocations: an access beyond the end of
// one is detected.
static std::uint64_t reserved_bytes(std::uint64_t bytes) { return round_up(bytes, granule) + granule; }

// Freed memory returns to the host and reads as zero when it is allocated again: Linux zeroes whole pages,
// this function the rest.
void Memory::State::scrub(std::uint64_t offset, std::uint64_t bytes) const {
  std::uint64_t const first = round_up(offset, page);
  std::uint64_t const last = (offset + bytes) / page * page;
  if (first >= last) {
    std::memset(base + offset, 0, bytes);
    return;
  }
  std::memset(base + offset, 0, first - offset);
  std::memset(base + last, 0, offset + bytes - last);
  if (madvise(base + first, last - first, MADV_DONTNEED) != 0) std::memset(base + first, 0, last - first);
}

Memory::Memory(std::uint64_t capacity_bytes) : state_(std::make_unique<State>()) {
  // The address space is twice the capacity, with room for the gaps and for fragmentation; the enforced
  // limit is `capacity`.
  std::uint64_t const capacity = std::min(capacity_bytes, global_window_bytes / 4);
  std::uint64_t const mapped = round_up(capacity * 2 + page, page);
  void* const at =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return; // every allocate() then fails
  state_->base = static_cast<std::byte*>(at);
  state_->mapped = mapped;
  state_->capacity = capacity;
  state_->put_idle(0, mapped);
}

Memory::~Memory() {
  if (state_->base != nullptr) munmap(state_->base, state_->mapped);
}

Address Memory::allocate(std::uint64_t bytes) {
  State& s = *state_;
  if (bytes == 0 || bytes > s.capacity) return 0;
  std::uint64_t const charged = round_up(bytes, granule);
  if (charged > s.capacity - s.used) return 0;
  auto const fit = s.sizes.lower_bound({reserved_bytes(bytes), 0});
  if (fit == s.sizes.end()) return 0;
  auto const it = s.idle.find(fit->second);
  std::uint64_t const offset = it->first;
  std::uint64_t const left = it->second - reserved_bytes(bytes);
  s.take_idle(it);
  if (left != 0) s.put_idle(offset + reserved_bytes(bytes), left);
  s.live.emplace(offset, bytes);
  s.used += charged;
  return global_window + offset;
}

bool Memory::free(Address base) {
  State& s = *state_;
  auto const it = s.live.find(base - global_window);
  if (base < global_window || it == s.live.end()) return false;
  std::uint64_t offset = it->first;
  std::uint64_t bytes = reserved_bytes(it->second);
  s.used -= round_up(it->second, granule);
  s.scrub(offset, it->second);
  s.live.erase(it);
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
  return true;
}

device::Range Memory::range(Address address) const {
  if (address < global_window) return {};
  auto it = state_->live.upper_bound(address - global_window);
  if (it == state_->live.begin()) return {};
  --it;
  if (address - global_window - it->first >= it->second) return {};
  return {global_window + it->first, it->second};
}

device::Range Memory::nearest(Address address) const {
  auto const& live = state_->live;
  if (live.empty()) return {};
  std::uint64_t const offset = address < global_window ? 0 : address - global_window;
  auto above = live.lower_bound(offset);
  if (above == live.begin()) return {global_window + above->first, above->second};
  auto const below = std::prev(above);
  bool const use_above =
      above != live.end() && above->first - offset < offset - (below->first + below->second);
  auto const it = use_above ? above : below;
  return {global_window + it->first, it->second};
}

std::uint64_t Memory::used() const { return state_->used; }

std::byte* Memory::resolve(Address address, std::uint64_t bytes) const {
  device::Range const in = range(address);
  if (in.bytes == 0 || bytes > in.bytes - (address - in.base)) return nullptr;
  return state_->base + (address - global_window);
}

std::uintptr_t Memory::view() const {
  return reinterpret_cast<std::uintptr_t>(state_->base) - static_cast<std::uintptr_t>(global_window);
}

} // namespace pegasus::software
