// SPDX-License-Identifier: Apache-2.0
// A task's device memory, charged to its domain: the program's allocations, and what its context, modules, heaps and
// kernels take. The same for all kinds of accelerators; what differs is the Backing.
#pragma once

#include "domA/device/device.h"
#include "domA/device/memory/account.h"
#include "domA/device/memory/backing.h"
#include "domA/device/memory/evicted_ranges.h"
#include "domA/device/memory/quota.h"
#include "domA/device/memory/ranges.h"

#include <cstdint>
#include <string>

namespace pegasus::memory {

class TaskMemory {
public:
  using Status = device::Status;

  // The ranges and the backing must outlive it. `pinned_bytes`: what the task takes besides its ranges.
  TaskMemory(Ranges& ranges, Backing& backing, Quota const& quota, std::uint64_t pinned_bytes = 0)
      : ranges_(ranges), backing_(backing), quota_(quota), account_(quota), pinned_bytes_(pinned_bytes) {}

  // As for the functions of device::Context.
  Status allocate(std::uint64_t bytes, device::Address& address);
  Status allocate_host(std::uint64_t bytes, device::HostMemory kind, device::Address& address);
  Status free(device::Address address);
  Status info(std::uint64_t& free_bytes, std::uint64_t& total_bytes);
  Status range(device::Address address, device::Range& range) const;

  // Copies what the ranges hold to host memory and gives the device's back. Addresses stay; nothing may use them until
  // restore() has succeeded. Returns not_supported if the backing cannot do that, out_of_memory if the host has no room;
  // then nothing stays evicted. If the backing fails at that, too, the task is lost.
  Status evict();
  // The reverse. out_of_memory: there is no room for all of it now; what is not restored stays evicted.
  Status restore();
  [[nodiscard]] std::uint64_t evicted_bytes() const { return evicted_.bytes(); }

  // After allocate() returned out_of_memory: whose limit it is, and how to change it. Empty if it is no limit, or if
  // the program was told before.
  [[nodiscard]] std::string refusal(std::uint64_t bytes);

  // For others who take memory. reserve() asks the quota for `more` bytes than are used; charge_used() then charges what
  // really is. It returns false if the present use is refused and must be reduced.
  [[nodiscard]] bool reserve(std::uint64_t more);
  [[nodiscard]] bool charge_used() { return account_.charge(used()); }
  void give_back() { (void)charge_used(); } // after the use has decreased: cannot be refused

  // Memory that stays where it is and is in no range that is charged: code, limits, the context. The next charge_used()
  // or give_back() charges it.
  void pin(std::uint64_t bytes) { pinned_bytes_ += bytes; }
  void unpin(std::uint64_t bytes) { pinned_bytes_ -= bytes; }

  [[nodiscard]] std::uint64_t used() const { return pinned_bytes_ + ranges_.charged() - evicted_.bytes(); }
  [[nodiscard]] std::uint64_t quota_left() const { return quota_.free_bytes(); }

private:
  using Reserve = Status (Backing::*)(std::uint64_t bytes, device::Address& base);
  [[nodiscard]] Status allocate(std::uint64_t bytes, std::uint64_t charged, Place place,
                                Reserve reserve_addresses, device::Address& address);
  [[nodiscard]] Status back(device::Range range, std::uint64_t charged, Place place);

  Ranges& ranges_;
  Backing& backing_;
  Quota quota_;
  Account account_;
  std::uint64_t pinned_bytes_;
  EvictedRanges evicted_{};
  bool refusal_told_ = false; // to the program: once
};

} // namespace pegasus::memory
