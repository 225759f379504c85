// SPDX-License-Identifier: Apache-2.0
// The software accelerator's device memory: one flat 64-bit address space per task. Global allocations,
// module variables, constants and the device heap live here; shared, local and parameter memory have windows
// of their own (windows.h) that exec/ maps, so that a generic address says by its value which space it is in.
// An address is never a host pointer; every access is checked against the allocation it must lie in.
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
  // Reserves address space only; pages come when touched and go back when freed.
  explicit Memory(std::uint64_t capacity_bytes);
  ~Memory();
  Memory(Memory const&) = delete;
  Memory& operator=(Memory const&) = delete;

  // 256-byte aligned, zeroed; 0 when there is no room. bytes > 0.
  [[nodiscard]] Address allocate(std::uint64_t bytes);
  [[nodiscard]] bool free(Address base);                    // false: not the base of a live allocation
  [[nodiscard]] device::Range range(Address address) const; // bytes == 0: in no allocation
  // The allocation nearest to an address that lies in none; bytes == 0: there is no allocation at all.
  [[nodiscard]] device::Range nearest(Address address) const;
  [[nodiscard]] std::uint64_t used() const; // as charged to the domain: rounded to the allocation granule

  // The host view of [address, address + bytes), or nullptr unless all of it lies in one live allocation.
  [[nodiscard]] std::byte* resolve(Address address, std::uint64_t bytes) const;
  // Host view of a live allocation that the caller has checked against range(): host = view() + address.
  [[nodiscard]] std::uintptr_t view() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace pegasus::software
