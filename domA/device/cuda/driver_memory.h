// SPDX-License-Identifier: Apache-2.0
// A GPU's memory behind a program's allocations. cuMemAlloc gives addresses and memory at once: reserve() takes both.
#pragma once

#include "domA/device/cuda/driver.h"
#include "domA/device/cuda/task_state.h"
#include "domA/device/cuda/transfers.h"
#include "domA/device/memory/backing.h"

#include <cstdint>

namespace pegasus::cuda {

class DriverMemory final : public memory::Backing {
public:
  DriverMemory(Driver const& driver, Transfers& transfers, TaskState& state)
      : driver_(driver), transfers_(transfers), state_(state) {}

  [[nodiscard]] std::uint64_t granule() const override { return 1; }
  [[nodiscard]] Status room(memory::Room& room) override;
  [[nodiscard]] Status reserve(std::uint64_t bytes, device::Address& base) override;
  [[nodiscard]] Status release(device::Range range) override;
  [[nodiscard]] Status map(device::Range range) override;
  [[nodiscard]] Status unmap(device::Range range) override;
  void lose_task() override;

private:
  Driver const& driver_;
  Transfers& transfers_;
  TaskState& state_;
};

} // namespace pegasus::cuda
