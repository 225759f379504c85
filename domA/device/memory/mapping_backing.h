// SPDX-License-Identifier: Apache-2.0
// What a kind of accelerator does for memory that a program maps itself (mappings.h). All sizes and addresses are
// multiples of device::mapping_granule. Units: bytes.
#pragma once

#include "domA/device/device.h"

#include <cstdint>

namespace pegasus::memory {

class MappingBacking {
public:
  using Status = device::Status;
  using MemoryId = std::uint64_t; // its name for what create() gave

  // Of one task, all its reservations together; 0: this device has no such memory.
  [[nodiscard]] virtual std::uint64_t most_reserved() const = 0;
  // `alignment` is a power of two, and `hint` a wish.
  [[nodiscard]] virtual Status reserve_addresses(std::uint64_t bytes, std::uint64_t alignment,
                                                 device::Address hint, device::Address& base) = 0;
  [[nodiscard]] virtual Status free_addresses(device::Range range) = 0; // nothing is mapped there
  [[nodiscard]] virtual Status create(std::uint64_t bytes, MemoryId& memory) = 0;
  [[nodiscard]] virtual Status destroy(MemoryId memory, std::uint64_t bytes) = 0; // it is not mapped
  // The memory's first bytes, at reserved addresses where nothing else is; the same memory is at one place at a time.
  [[nodiscard]] virtual Status map(device::Range range, MemoryId memory) = 0;
  // `keep`: what the memory holds will be mapped again.
  [[nodiscard]] virtual Status unmap(device::Range range, MemoryId memory, bool keep) = 0;
  // Of one mapping. What is accessible for the first time is zeroed then: it may have been another domain's.
  [[nodiscard]] virtual Status set_access(device::Range range, bool accessible) = 0;
  [[nodiscard]] virtual Status zero(device::Range range) = 0;
  // As Backing's (backing.h).
  virtual void lose_task() = 0;

protected:
  ~MappingBacking() = default;
};

} // namespace pegasus::memory
