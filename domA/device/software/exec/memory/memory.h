// SPDX-License-Identifier: Apache-2.0
// The software accelerator's device memory: one flat 64-bit address space per task. Global allocations,
// module variables, constants and the device heap are in it. Shared, local and parameter memory have separate
// windows (windows.h) that exec/ maps: the value of a generic address determines its space. An address is
// never a host pointer; every access is checked against the allocation that it must lie in.
#pragma once

#include "domA/device/device.h"

#include <cstddef>
#include <map>
#include <memory>
#include <span>

namespace pegasus::software {

using device::Address;

class Memory {
public:
  // Reserves address space only; pages are allocated on first access and returned when freed.
  explicit Memory(std::uint64_t capacity_bytes);
  ~Memory();
  Memory(Memory const&) = delete;
  Memory& operator=(Memory const&) = delete;

  // 256-byte aligned, zeroed; 0 if there is no room. bytes > 0.
  [[nodiscard]] Address allocate(std::uint64_t bytes);
  [[nodiscard]] bool free(Address base); // false if it is not the base of a live allocation
  [[nodiscard]] device::Range range(Address address) const; // bytes == 0 if it is in no allocation
  // The allocation nearest to an address that is in none; bytes == 0 if there is no allocation at all.
  [[nodiscard]] device::Range nearest(Address address) const;
  [[nodiscard]] std::uint64_t used() const; // as charged to the domain: rounded to the allocation granule

  // The host address of [address, address + bytes), or nullptr unless all of it is in one live allocation.
  [[nodiscard]] std::byte* resolve(Address address, std::uint64_t bytes) const;
  // Host view of a live allocation that the caller has checked against range(): host = view() + address.
  [[nodiscard]] std::uintptr_t view() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace pegasus::software
