// SPDX-License-Identifier: Apache-2.0
// What a kind of accelerator does for the memory that a program allocates. Addresses and the memory behind them are
// two things: addresses that a program knows stay, and memory may come and go behind them. Units: bytes.
#pragma once

#include "domA/device/device.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace pegasus::memory {

// Of the device. `free_bytes` is the maximum where nobody takes of it without a quota.
struct Room {
  std::uint64_t free_bytes = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t total_bytes = 0;
};

class Backing {
public:
  using Status = device::Status;

  // What an allocation is charged in multiples of.
  [[nodiscard]] virtual std::uint64_t granule() const = 0;
  [[nodiscard]] virtual Status room(Room& room) = 0;

  // Addresses for so many bytes, with no range of another one directly behind them where the kind can see to that. A
  // kind that cannot tell addresses from memory takes the memory here, and gives it back in release().
  [[nodiscard]] virtual Status reserve(std::uint64_t bytes, device::Address& base) = 0;
  // The same in the task's HostWindow, for whole pages; the other functions take ranges of both.
  [[nodiscard]] virtual Status reserve_host(std::uint64_t /*bytes*/, device::Address& /*base*/) {
    return Status::not_supported;
  }
  [[nodiscard]] virtual Status release(device::Range range) = 0; // not mapped
  // Memory behind reserved addresses, all of whose bytes read as zero: it may have been another domain's.
  [[nodiscard]] virtual Status map(device::Range range) = 0;
  // ... which goes back to the device when the work that uses it is done; what it held is lost.
  [[nodiscard]] virtual Status unmap(device::Range range) = 0;
  // What a range holds, in host memory of as many bytes, all zero before; and back to one that was mapped just now. Zeroes
  // need not be written. A kind that has these two, because its addresses stay without their memory, takes pieces of
  // ranges in all four functions, in multiples of the granule but for a range's end. After a failure of write() the
  // range is not mapped.
  [[nodiscard]] virtual Status read(device::Range, std::span<std::byte> /*to*/) {
    return Status::not_supported;
  }
  [[nodiscard]] virtual Status write(device::Range, std::span<std::byte const> /*from*/) {
    return Status::not_supported;
  }
  // What lies behind the task's addresses is not its own: memory that could be neither zeroed nor given back, or not
  // brought back. The task must not execute anything any more.
  virtual void lose_task() = 0;

protected:
  ~Backing() = default;
};

} // namespace pegasus::memory
