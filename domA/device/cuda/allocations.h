// SPDX-License-Identifier: Apache-2.0
// The device memory that one task may use: its allocations and its modules' variables. Addresses from a guest
// are checked here before they reach the driver, which would also accept a host address.
#pragma once

#include "domA/device/device.h"

#include <iterator>
#include <map>
#include <optional>

namespace pegasus::cuda {

class Allocations {
public:
  // Returns false if no driver that works would give it: it is at no address, or overlaps another range. The
  // program's own replaces variables, which nobody frees.
  [[nodiscard]] bool add(device::Address base, std::uint64_t bytes, bool own) {
    device::Address end = 0;
    if (base == 0 || bytes == 0 || __builtin_add_overflow(base, bytes, &end)) return false;
    for (auto at = first_behind(base); at != ranges_.end() && at->first < end; ++at)
      if (!own || at->second.own) return false;
    for (auto at = first_behind(base); at != ranges_.end() && at->first < end;)
      at = ranges_.erase(at);
    ranges_[base] = {bytes, own};
    if (own) own_bytes_ += bytes;
    return true;
  }
  // Returns nullopt if the program did not allocate it.
  [[nodiscard]] std::optional<std::uint64_t> own(device::Address base) const {
    auto const found = ranges_.find(base);
    return found == ranges_.end() || !found->second.own ? std::nullopt : std::optional(found->second.bytes);
  }
  void remove(device::Address base, bool own) {
    auto const found = ranges_.find(base);
    if (found == ranges_.end() || found->second.own != own) return;
    if (own) own_bytes_ -= found->second.bytes;
    ranges_.erase(found);
  }
  // bytes == 0 if no allocation contains it.
  [[nodiscard]] device::Range containing(device::Address address) const {
    auto after = ranges_.upper_bound(address);
    if (after == ranges_.begin()) return {};
    auto const& [base, range] = *--after;
    return address - base < range.bytes ? device::Range{base, range.bytes} : device::Range{};
  }
  // Returns true if every byte of it lies in one allocation.
  [[nodiscard]] bool contain(device::Rect const& rect) const {
    if (rect.rows == 0 || rect.row_bytes == 0) return true;
    std::uint64_t span = 0;
    if (rect.rows > 1 && rect.pitch < rect.row_bytes) return false;
    if (__builtin_mul_overflow(rect.rows - 1, rect.pitch, &span) ||
        __builtin_add_overflow(span, rect.row_bytes, &span))
      return false;
    device::Range const range = containing(rect.address);
    return range.bytes != 0 && span <= range.bytes - (rect.address - range.base);
  }
  [[nodiscard]] std::uint64_t own_bytes() const { return own_bytes_; }

private:
  struct Entry {
    std::uint64_t bytes;
    bool own; // allocated by the program; not own: a module's variable
  };
  using Ranges = std::map<device::Address, Entry>;
  // The first range that ends behind the address.
  [[nodiscard]] Ranges::iterator first_behind(device::Address address) {
    auto at = ranges_.upper_bound(address);
    if (at == ranges_.begin()) return at;
    auto const before = std::prev(at);
    return address - before->first < before->second.bytes ? before : at;
  }

  Ranges ranges_;
  std::uint64_t own_bytes_ = 0;
};

} // namespace pegasus::cuda
