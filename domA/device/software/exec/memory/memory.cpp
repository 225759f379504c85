// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/memory/memory.h"

#include "domA/device/software/exec/memory/windows.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace pegasus::software {

namespace {

constexpr std::uint64_t page = 4096;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

// Gives whole pages of a shared file back, for all who have it mapped.
void discard(std::byte* pages, std::uint64_t bytes) {
  if (madvise(pages, bytes, MADV_REMOVE) != 0) std::memset(pages, 0, bytes);
}

} // namespace

// The address space is twice the capacity, with room for the gaps and for fragmentation; the enforced
// limit is `capacity_`.
Memory::Memory(std::uint64_t capacity_bytes, device::HostWindow host)
    : capacity_(std::min(capacity_bytes, global_window_bytes / 4)),
      mappable_bytes_(mappable_bytes(capacity_)),
      pages_(round_up(capacity_ * 2 + page, device::mapping_granule), mappable_bytes_), window_(host),
      device_(global_window, pages_.bytes(), granule),
      host_(host.base, host.bytes, device::HostWindow::granule) {}

Memory::~Memory() {
  if (has_host()) discard(window_.bytes.data(), window_.bytes.size());
}

std::uint64_t Memory::mappable_bytes(std::uint64_t capacity) {
  constexpr std::uint64_t most = global_window_bytes / 4;
  return std::min(round_up(std::min(capacity, most), device::mapping_granule) * mappable_per_capacity, most);
}

Address Memory::allocate(std::uint64_t bytes) {
  return enter({reserve(bytes), bytes}, granule, memory::Place::device);
}

Address Memory::allocate_host(std::uint64_t bytes) {
  if (bytes > capacity_ - std::min(capacity_, used())) return 0;
  return enter({reserve_host(bytes), bytes}, device::HostWindow::granule, memory::Place::host);
}

Address Memory::enter(device::Range reserved, std::uint64_t charged_in, memory::Place place) {
  if (reserved.base == 0 ||
      ranges_.add(reserved, memory::Owner::task, round_up(reserved.bytes, charged_in), place))
    return reserved.base;
  release(reserved);
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

device::Range Memory::mappable() const {
  if (pages_.bytes().empty()) return {};
  return {global_window + pages_.bytes().size(), mappable_bytes_};
}

bool Memory::hold(std::uint64_t bytes) {
  if (bytes > capacity_ - std::min(capacity_, used())) return false;
  held_ += bytes;
  return true;
}

Address Memory::reserve(std::uint64_t bytes) {
  if (bytes == 0 || bytes > capacity_ || round_up(bytes, granule) > capacity_ - std::min(capacity_, used()))
    return 0;
  return device_.reserve(bytes);
}

Address Memory::reserve_host(std::uint64_t bytes) { return host_.reserve(bytes); }

void Memory::release(device::Range reserved) { (is_host(reserved.base) ? host_ : device_).release(reserved); }

// Linux zeroes whole pages, this function the rest. A range of the host has its last page for itself.
void Memory::scrub(device::Range reserved) {
  if (is_host(reserved.base)) return discard(host_.at(reserved.base), round_up(reserved.bytes, page));
  std::byte* const begin = device_.at(reserved.base);
  std::uint64_t const offset = reserved.base - global_window;
  std::uint64_t const first = round_up(offset, page) - offset;
  std::uint64_t const last = (offset + reserved.bytes) / page * page - offset;
  if (first > reserved.bytes || first >= last) {
    std::memset(begin, 0, reserved.bytes);
    return;
  }
  std::memset(begin, 0, first);
  std::memset(begin + last, 0, reserved.bytes - last);
  if (madvise(begin + first, last - first, MADV_DONTNEED) != 0) std::memset(begin + first, 0, last - first);
}

std::byte* Memory::resolve(Address address, std::uint64_t bytes) const {
  device::Range const in = ranges_.containing(address);
  if (in.bytes == 0 || bytes > in.bytes - (address - in.base)) return nullptr;
  return space_of(address).at(address);
}

} // namespace pegasus::software
