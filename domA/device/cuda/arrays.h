// SPDX-License-Identifier: Apache-2.0
// Makes and ends a context's arrays. They are charged as memory that stays where it is, and zero before the program's
// work can read them.
#pragma once

#include "domA/device/cuda/array_table.h"
#include "domA/device/cuda/task_state.h"
#include "domA/device/cuda/transfers.h"
#include "domA/device/memory/task_memory.h"

#include <cstddef>
#include <cstdint>

namespace pegasus::cuda {

// What an array is charged: an estimate of what it takes of the device's memory, where it lies in tiles.
[[nodiscard]] std::uint64_t charge_of(device::ArrayShape const& shape);

class DriverArrays {
public:
  using Status = device::Status;

  // In one context. More are refused as if there were no memory: each costs the worker some of its own.
  static constexpr std::size_t most = 65'536;
  // The memory of zeroes that arrays are zeroed from: at least the longest row that there is. The program's kernels can
  // write to it, as to all memory of its context; then its own arrays begin with that.
  static constexpr std::uint64_t zeros_bytes = 4 << 20;

  // All of them must outlive it.
  DriverArrays(Driver const& driver, Transfers& transfers, memory::TaskMemory& memory, TaskState& state)
      : driver_(driver), transfers_(transfers), memory_(memory), state_(state) {}
  DriverArrays(DriverArrays const&) = delete;
  DriverArrays& operator=(DriverArrays const&) = delete;

  void close(); // waits for all work, and destroys the arrays; the context must still exist

  // As for the functions of device::Context.
  Status create(device::ArrayShape const& shape, device::Address& base);
  Status destroy(device::Address base);
  // How much more a task is charged for an array of this shape.
  [[nodiscard]] std::uint64_t needed(device::ArrayShape const& shape) const {
    return charge_of(shape) + (zeros_ == 0 ? zeros_bytes : 0);
  }

private:
  [[nodiscard]] bool supported() const;
  [[nodiscard]] CUresult prepare_zeros();
  [[nodiscard]] CUresult make(DriverArray& array) const;
  [[nodiscard]] CUresult zero(CUdeviceptr zeros); // frees them if it fails
  [[nodiscard]] CUresult zero(DriverArray const& array);
  [[nodiscard]] CUresult zero(ArrayLevel const& level, CUstream stream) const;
  [[nodiscard]] CUresult end(DriverArray const& array) const;
  [[nodiscard]] CUresult finish_work();
  void discard(DriverArray const& array);
  void lose_task();

  Driver const& driver_;
  Transfers& transfers_;
  memory::TaskMemory& memory_;
  TaskState& state_;
  CUdeviceptr zeros_ = 0; // 0: none yet
};

} // namespace pegasus::cuda
