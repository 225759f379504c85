// SPDX-License-Identifier: Apache-2.0
// The software accelerator's global memory: one flat 64-bit address space per task. Global allocations,
// module variables, constants and the device heap are in it, and memory of the host that the task's program shares with
// its kernels. Shared, local and parameter memory have separate windows (windows.h) that exec/ maps: the value of a
// generic address determines its space. An address is never a pointer of this process; every access is checked against
// the allocation that it must lie in.
#pragma once

#include "base/zeroed_memory.h"
#include "domA/device/device.h"
#include "domA/device/memory/ranges.h"
#include "domA/device/software/exec/memory/address_space.h"

#include <cstddef>
#include <cstdint>

namespace pegasus::software {

using device::Address;

class Memory {
public:
  // Reserves address space only; pages are allocated on first access and returned when freed. `host`: whole pages.
  // Nothing is left in it at the end.
  explicit Memory(std::uint64_t capacity_bytes, device::HostWindow host = {});
  ~Memory();
  Memory(Memory const&) = delete;
  Memory& operator=(Memory const&) = delete;

  static constexpr std::uint64_t granule = 256; // CUDA promises cudaMalloc's result to be aligned to it

  // For what modules and kernels need: 256-byte aligned, zeroed; 0 if there is no room. bytes > 0.
  [[nodiscard]] Address allocate(std::uint64_t bytes);
  [[nodiscard]] Address allocate_host(std::uint64_t bytes); // the same, in the host window
  [[nodiscard]] bool free(Address base); // false if allocate() did not return it, or it is free already

  // The same without a range, as Backing has it (domA/device/memory/backing.h); whoever reserves enters the range.
  [[nodiscard]] Address reserve(std::uint64_t bytes);
  [[nodiscard]] bool is_host(Address address) const { return host_.contains(address); }
  [[nodiscard]] bool has_host() const { return !host_.empty(); }
  [[nodiscard]] Address reserve_host(std::uint64_t bytes);
  void release(device::Range reserved);
  void scrub(device::Range reserved); // returns its pages to the host; it then reads as zero

  // Addresses that have no memory until the caller commits it, behind those of reserve(): for what is mapped. Host
  // addresses are view() + address here, too. A program may reserve 16 capacities; MappedPages has one.
  static constexpr std::uint64_t mappable_per_capacity = 17;
  [[nodiscard]] static std::uint64_t mappable_bytes(std::uint64_t capacity);
  [[nodiscard]] device::Range mappable() const;
  // Memory that is in no range and counts as used. Returns false if there is no room for it.
  [[nodiscard]] bool hold(std::uint64_t bytes);
  void keep(std::uint64_t bytes) { held_ += bytes; } // of a range that goes
  void let_go(std::uint64_t bytes) { held_ -= bytes; }

  [[nodiscard]] memory::Ranges& ranges() { return ranges_; }
  [[nodiscard]] memory::Ranges const& ranges() const { return ranges_; }
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint64_t used() const { return ranges_.charged() + held_; } // in whole granules

  // Where [address, address + bytes) is in this process, or nullptr unless all of it is in one live allocation.
  [[nodiscard]] std::byte* resolve(Address address, std::uint64_t bytes) const;
  // The same for all addresses of the live allocation that begins at `base`: view(base) + address.
  [[nodiscard]] std::uintptr_t view(Address base) const { return space_of(base).view(); }

private:
  // As a range of the task, charged in multiples of `charged_in`. Returns its address, or 0.
  [[nodiscard]] Address enter(device::Range reserved, std::uint64_t charged_in, memory::Place place);
  [[nodiscard]] AddressSpace const& space_of(Address address) const {
    return is_host(address) ? host_ : device_;
  }

  std::uint64_t capacity_;
  std::uint64_t held_ = 0;
  std::uint64_t mappable_bytes_; // behind `pages_`
  base::ZeroedMemory pages_;
  device::HostWindow window_;
  AddressSpace device_;
  AddressSpace host_;
  memory::Ranges ranges_;
};

} // namespace pegasus::software
