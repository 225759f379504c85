// SPDX-License-Identifier: Apache-2.0
// A task's device memory, charged to its domain: what the program allocates, and what its context, modules
// and limits take beside it.
#pragma once

#include "domA/device/cuda/allocations.h"
#include "domA/device/cuda/cuda_device.h"
#include "domA/device/cuda/transfers.h"

#include <cstdint>

namespace pegasus::cuda {

class TaskMemory {
public:
  using Status = device::Status;

  // `share`: null: all of the device's. `context_bytes`: what the context itself takes.
  TaskMemory(Driver const& driver, MemoryShare* share, std::uint64_t context_bytes, Allocations& allocations,
             Transfers& transfers, TaskState& state)
      : driver_(driver), share_(share), other_bytes_(context_bytes), allocations_(allocations),
        transfers_(transfers), state_(state) {}

  // As the functions of device::Context.
  Status allocate(std::uint64_t bytes, device::Address& address);
  Status free(device::Address address);
  Status info(std::uint64_t& free_bytes, std::uint64_t& total_bytes);
  Status range(device::Address address, device::Range& range) const;

  // Whether so much more than now may be had. What is had less than that, settle() then charges less.
  [[nodiscard]] bool charge(std::uint64_t more);
  void settle() { (void)charge(0); }
  void end(); // the context is gone: nothing is charged any more

  // What is not the program's own: modules, and what limits set aside. Charged by the next settle().
  void add_other(std::uint64_t bytes) { other_bytes_ += bytes; }
  void remove_other(std::uint64_t bytes) { other_bytes_ -= bytes; }
  [[nodiscard]] std::uint64_t used() const { return other_bytes_ + allocations_.own_bytes(); }

private:
  Driver const& driver_;
  MemoryShare* share_;
  std::uint64_t other_bytes_;
  Allocations& allocations_;
  Transfers& transfers_;
  TaskState& state_;
};

} // namespace pegasus::cuda
