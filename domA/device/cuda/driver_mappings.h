// SPDX-License-Identifier: Apache-2.0
// A GPU's memory that a program maps itself: the driver's functions of the same names.
#pragma once

#include "domA/device/cuda/driver.h"
#include "domA/device/cuda/task_state.h"
#include "domA/device/cuda/transfers.h"
#include "domA/device/memory/mapping_backing.h"

#include <cstdint>

namespace pegasus::cuda {

// The driver has these functions, and maps this GPU's memory at multiples of the granule.
[[nodiscard]] bool maps_memory(Driver const& driver, CUdevice device);

class DriverMappings final : public memory::MappingBacking {
public:
  // All of them must outlive it.
  DriverMappings(Driver const& driver, int ordinal, Transfers& transfers, TaskState& state);

  [[nodiscard]] std::uint64_t most_reserved() const override { return most_reserved_; }
  [[nodiscard]] Status reserve_addresses(std::uint64_t bytes, std::uint64_t aligned_to, device::Address hint,
                                         device::Address& base) override;
  [[nodiscard]] Status free_addresses(device::Range range) override;
  [[nodiscard]] Status create(std::uint64_t bytes, MemoryId& memory) override;
  [[nodiscard]] Status destroy(MemoryId memory, std::uint64_t bytes) override;
  [[nodiscard]] Status map(device::Range range, MemoryId memory) override;
  [[nodiscard]] Status unmap(device::Range range, MemoryId memory, bool keep) override;
  [[nodiscard]] Status set_access(device::Range range, bool accessible) override;
  [[nodiscard]] Status zero(device::Range range) override;
  void lose_task() override;

private:
  // Waits for all work that was submitted: it may use what goes, and zeroes must not arrive at the next owner's.
  [[nodiscard]] CUresult finish_work();

  Driver const& driver_;
  Transfers& transfers_;
  TaskState& state_;
  CUmemLocation location_{};
  std::uint64_t most_reserved_ = 0;
};

} // namespace pegasus::cuda
