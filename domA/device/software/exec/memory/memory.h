// SPDX-License-Identifier: Apache-2.0
// The software accelerator's device memory: one flat 64-bit address space per task. Global allocations,
// module variables, constants and the device heap are in it. Shared, local and parameter memory have separate
// windows (windows.h) that exec/ maps: the value of a generic address determines its space. An address is
// never a host pointer; every access is checked against the allocation that it must lie in.
#pragma once

#include "domA/device/device.h"
#include "domA/device/memory/ranges.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace pegasus::software {

using device::Address;

class Memory {
public:
  // Reserves address space only; pages are allocated on first access and returned when freed.
  explicit Memory(std::uint64_t capacity_bytes);
  ~Memory();
  Memory(Memory const&) = delete;
  Memory& operator=(Memory const&) = delete;

  static constexpr std::uint64_t granule = 256; // CUDA promises cudaMalloc's result to be aligned to it

  // For what modules and kernels need: 256-byte aligned, zeroed; 0 if there is no room. bytes > 0.
  [[nodiscard]] Address allocate(std::uint64_t bytes);
  [[nodiscard]] bool free(Address base); // false if allocate() did not return it, or it is free already

  // The same without a range, as Backing has it (domA/device/memory/backing.h); whoever reserves enters the range.
  [[nodiscard]] Address reserve(std::uint64_t bytes);
  void release(device::Range reserved);
  void scrub(device::Range reserved); // returns its pages to the host; it then reads as zero

  [[nodiscard]] memory::Ranges& ranges() { return ranges_; }
  [[nodiscard]] memory::Ranges const& ranges() const { return ranges_; }
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint64_t used() const { return ranges_.charged(); } // in whole granules

  // The host address of [address, address + bytes), or nullptr unless all of it is in one live allocation.
  [[nodiscard]] std::byte* resolve(Address address, std::uint64_t bytes) const;
  // Host view of a live allocation that the caller has checked against range(): host = view() + address.
  [[nodiscard]] std::uintptr_t view() const;

private:
  struct Space;
  std::unique_ptr<Space> space_;
  std::uint64_t capacity_;
  memory::Ranges ranges_;
};

} // namespace pegasus::software
