// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/memory/address_space.h"

namespace pegasus::software {

AddressSpace::AddressSpace(device::Address base, std::span<std::byte> bytes, std::uint64_t granule)
    : base_(base), bytes_(bytes), granule_(granule) {
  if (!bytes.empty()) put_idle(0, bytes.size());
}

std::uint64_t AddressSpace::taken_by(std::uint64_t bytes) const {
  return (bytes + granule_ - 1) / granule_ * granule_ + granule_;
}

device::Address AddressSpace::reserve(std::uint64_t bytes) {
  if (bytes == 0 || bytes > bytes_.size()) return 0;
  auto const fit = sizes_.lower_bound({taken_by(bytes), 0});
  if (fit == sizes_.end()) return 0;
  auto const it = idle_.find(fit->second);
  std::uint64_t const offset = it->first;
  std::uint64_t const left = it->second - taken_by(bytes);
  take_idle(it);
  if (left != 0) put_idle(offset + taken_by(bytes), left);
  return base_ + offset;
}

void AddressSpace::release(device::Range reserved) {
  std::uint64_t offset = reserved.base - base_;
  std::uint64_t bytes = taken_by(reserved.bytes);
  auto after = idle_.lower_bound(offset);
  if (after != idle_.end() && after->first == offset + bytes) {
    bytes += after->second;
    take_idle(after);
  }
  auto before = idle_.lower_bound(offset);
  if (before != idle_.begin() && (--before)->first + before->second == offset) {
    offset = before->first;
    bytes += before->second;
    take_idle(before);
  }
  put_idle(offset, bytes);
}

void AddressSpace::put_idle(std::uint64_t offset, std::uint64_t bytes) {
  idle_.emplace(offset, bytes);
  sizes_.emplace(bytes, offset);
}

void AddressSpace::take_idle(Idle::iterator it) {
  sizes_.erase({it->second, it->first});
  idle_.erase(it);
}

} // namespace pegasus::software
