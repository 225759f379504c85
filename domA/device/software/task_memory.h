// SPDX-License-Identifier: Apache-2.0
// A task's device memory, charged to its domain: the program's allocations, and the memory of modules, the
// device heap and running kernels.
#pragma once

#include "domA/device/device.h"
#include "domA/device/shared/account.h"
#include "domA/device/software/exec/memory/memory.h"

#include <cstdint>
#include <string>
#include <unordered_set>

namespace pegasus::software {

class TaskMemory {
public:
  using Status = device::Status;

  // `bytes`: the maximum, whatever the quota says.
  TaskMemory(std::uint64_t bytes, shared::Quota const& quota)
      : bytes_(bytes), quota_(quota), account_(quota), memory_(bytes) {}

  // The program's own allocations; it cannot free other memory.
  Status allocate(std::uint64_t bytes, device::Address& address);
  Status free(device::Address address);
  [[nodiscard]] Status range(device::Address address, device::Range& range) const; // of any kind
  void info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) const;

  // For other users of the memory. reserve(): asks the quotas for `more` bytes; charge_used() then charges
  // what is really used. charge_used() returns false if the present use is refused and must be reduced.
  [[nodiscard]] Memory& memory() { return memory_; }
  [[nodiscard]] bool reserve(std::uint64_t more);
  [[nodiscard]] bool charge_used() { return account_.charge(memory_.used()); }
  void give_back() { (void)charge_used(); } // after the use has decreased: cannot be refused
  [[nodiscard]] std::uint64_t used() const { return memory_.used(); }
  [[nodiscard]] std::uint64_t capacity() const { return bytes_; }
  // For the program's user: why the domain was refused that many bytes; empty if it was not.
  [[nodiscard]] std::string why_refused(std::uint64_t bytes) const { return quota_.why_refused(bytes); }
  [[nodiscard]] std::uint64_t quota_left() const { return quota_.free_bytes(); }

private:
  std::uint64_t bytes_;
  shared::Quota quota_;
  shared::Account account_;
  Memory memory_;
  std::unordered_set<device::Address> allocated_; // by the program
};

} // namespace pegasus::software
