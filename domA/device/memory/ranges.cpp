// SPDX-License-Identifier: Apache-2.0
#include "domA/device/memory/ranges.h"

#include <iterator>

namespace pegasus::memory {

bool Ranges::add(device::Range range, Owner owner, std::uint64_t charged, Place place) {
  device::Address end = 0;
  if (range.base == 0 || range.bytes == 0 || __builtin_add_overflow(range.base, range.bytes, &end))
    return false;
  for (auto at = first_behind(range.base); at != entries_.end() && at->first < end; ++at)
    if (owner != Owner::program || at->second.owner != Owner::task) return false;
  for (auto at = first_behind(range.base); at != entries_.end() && at->first < end;)
    at = erase(at);
  entries_[range.base] = {range.bytes, charged, owner, place};
  charged_ += charged;
  return true;
}

void Ranges::remove(device::Address base, Owner owner) {
  auto const found = entries_.find(base);
  if (found != entries_.end() && found->second.owner == owner) erase(found);
}

device::Range Ranges::of(device::Address base, Owner owner) const {
  auto const found = entries_.find(base);
  if (found == entries_.end() || found->second.owner != owner) return {};
  return {base, found->second.bytes};
}

device::Range Ranges::containing(device::Address address) const {
  auto after = entries_.upper_bound(address);
  if (after == entries_.begin()) return {};
  auto const& [base, entry] = *--after;
  return address - base < entry.bytes ? device::Range{base, entry.bytes} : device::Range{};
}

device::Range Ranges::nearest(device::Address address) const {
  if (entries_.empty()) return {};
  auto at = entries_.lower_bound(address);
  if (at != entries_.begin()) {
    auto const below = std::prev(at);
    if (at == entries_.end() || at->first - address >= address - (below->first + below->second.bytes))
      at = below;
  }
  return {at->first, at->second.bytes};
}

bool Ranges::contain(device::Rect const& rect) const {
  if (rect.rows == 0 || rect.row_bytes == 0) return true;
  std::uint64_t span = 0;
  if (rect.rows > 1 && rect.pitch < rect.row_bytes) return false;
  if (__builtin_mul_overflow(rect.rows - 1, rect.pitch, &span) ||
      __builtin_add_overflow(span, rect.row_bytes, &span))
    return false;
  device::Range const range = containing(rect.address);
  return range.bytes != 0 && span <= range.bytes - (rect.address - range.base);
}

std::vector<Ranges::Charged> Ranges::on_device() const {
  std::vector<Charged> ranges;
  for (auto const& [base, entry] : entries_)
    if (entry.place == Place::device) ranges.push_back({{base, entry.bytes}, entry.charged});
  return ranges;
}

Ranges::Entries::iterator Ranges::first_behind(device::Address address) {
  auto at = entries_.upper_bound(address);
  if (at == entries_.begin()) return at;
  auto const before = std::prev(at);
  return address - before->first < before->second.bytes ? before : at;
}

Ranges::Entries::iterator Ranges::erase(Entries::iterator at) {
  charged_ -= at->second.charged;
  return entries_.erase(at);
}

} // namespace pegasus::memory
