// SPDX-License-Identifier: Apache-2.0
// Device addresses for a piece of the worker's memory, given out and taken back.
#pragma once

#include "domA/device/device.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace pegasus::software {

class AddressSpace {
public:
  // The addresses from `base` on are those of `bytes`; an empty one has none. Each range begins at a multiple of
  // `granule`, and at least a granule separates two: an access beyond the end of one is detected.
  AddressSpace(device::Address base, std::span<std::byte> bytes, std::uint64_t granule);

  [[nodiscard]] device::Address reserve(std::uint64_t bytes); // 0 if there is no room. bytes > 0
  void release(device::Range reserved);

  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] bool contains(device::Address address) const { return address - base_ < bytes_.size(); }
  [[nodiscard]] std::byte* at(device::Address address) const { return bytes_.data() + (address - base_); }
  // Of its addresses: host address = view() + address.
  [[nodiscard]] std::uintptr_t view() const {
    return reinterpret_cast<std::uintptr_t>(bytes_.data()) - base_;
  }

private:
  using Idle = std::map<std::uint64_t, std::uint64_t>; // offset from base_ -> bytes
  [[nodiscard]] std::uint64_t taken_by(std::uint64_t bytes) const;
  void put_idle(std::uint64_t offset, std::uint64_t bytes);
  void take_idle(Idle::iterator it);

  device::Address base_;
  std::span<std::byte> bytes_;
  std::uint64_t granule_;
  Idle idle_;                                               // by offset, to join neighbours
  std::set<std::pair<std::uint64_t, std::uint64_t>> sizes_; // the same as (bytes, offset): best fit
};

} // namespace pegasus::software
