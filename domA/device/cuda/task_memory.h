// SPDX-License-Identifier: Apache-2.0
// A task's device memory, charged to its domain: the program's allocations, and the memory of its context,
// modules and limits.
#pragma once

#include "domA/device/cuda/allocations.h"
#include "domA/device/cuda/cuda_device.h"
#include "domA/device/cuda/transfers.h"

#include <cstdint>

namespace pegasus::cuda {

class TaskMemory {
public:
  using Status = device::Status;

  // `share` is nullptr: all of the device's memory. `context_bytes`: the memory of the context itself.
  TaskMemory(Driver const& driver, MemoryShare* share, std::uint64_t context_bytes, Allocations& allocations,
             Transfers& transfers, TaskState& state)
      : driver_(driver), share_(share), other_bytes_(context_bytes), allocations_(allocations),
        transfers_(transfers), state_(state) {}

  // As for the functions of device::Context.
  Status allocate(std::uint64_t bytes, device::Address& address);
  Status free(device::Address address);
  Status info(std::uint64_t& free_bytes, std::uint64_t& total_bytes);
  Status range(device::Address address, device::Range& range) const;

  // Charges `more` bytes in addition to the present use; returns false if they are refused. If less of it is
  // then used, charge_used() reduces the charge.
  [[nodiscard]] bool charge(std::uint64_t more);
  void charge_used() { (void)charge(0); }
  void end(); // the context is gone: its charge ends

  // Memory other than the program's allocations: modules, and memory reserved by limits. The next
  // charge_used() charges it.
  void add_other(std::uint64_t bytes) { other_bytes_ += bytes; }
  void remove_other(std::uint64_t bytes) { other_bytes_ -= bytes; }
  [[nodiscard]] std::uint64_t used() const { return other_bytes_ + allocations_.own_bytes(); }

private:
  void give_back(device::Address address, std::uint64_t bytes);
  void tell_refusal(std::uint64_t bytes);

  Driver const& driver_;
  MemoryShare* share_;
  std::uint64_t other_bytes_;
  Allocations& allocations_;
  Transfers& transfers_;
  TaskState& state_;
  bool refusal_told_ = false; // to the program: once
};

} // namespace pegasus::cuda
