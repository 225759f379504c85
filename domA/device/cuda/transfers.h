// SPDX-License-Identifier: Apache-2.0
// Copies and fills. The copy engines copy between host and device, as the worker itself does on the software
// accelerator; fills and copies within the device count as device time.
#pragma once

#include "domA/device/cuda/allocations.h"
#include "domA/device/cuda/host_reads.h"
#include "domA/device/cuda/kernel_time.h"
#include "domA/device/cuda/task_state.h"
#include "domA/device/cuda/work_queue.h"

#include <memory>
#include <span>

namespace pegasus::cuda {

class Transfers {
public:
  using Status = device::Status;

  // All of them must outlive this object.
  Transfers(Driver const& driver, WorkQueue& queue, Allocations const& allocations, TaskState& state);

  // As for the functions of device::Context. invalid_value: not all of it lies in one allocation.
  Status to_device(device::Stream*, device::Rect const& target, std::span<std::byte const> source);
  Status from_device(device::Stream*, std::span<std::byte> target, device::Rect const& source);
  Status within_device(device::Stream*, device::Rect const& target, device::Address source,
                       std::uint64_t source_pitch);
  Status fill(device::Stream*, device::Rect const& target, std::uint32_t value, std::uint32_t element_bytes);

  // Zeroes the memory and waits, on a stream without work of the program.
  [[nodiscard]] CUresult scrub(CUdeviceptr address, std::uint64_t bytes);

  device::HostReads host_reads();
  void finish_host_reads();
  void close() { reads_.close(); } // waits for the copies; the context must still exist

private:
  // Submits an operation of the device on this number of bytes once the queue has room, and accounts for it.
  template <class Submit>
  [[nodiscard]] CUresult run(CUstream stream, std::shared_ptr<KernelTime> const& time, std::uint64_t bytes,
                             Submit submit) {
    std::uint64_t const kilobytes = (bytes + 1023) / 1024;
    queue_.wait_for_room();
    queue_.begin(stream, *time, kilobytes);
    CUresult const result = submit();
    queue_.end(time, kilobytes);
    return result;
  }

  Driver const& driver_;
  WorkQueue& queue_;
  Allocations const& allocations_;
  TaskState& state_;
  HostReadQueue reads_;
  CUstream scrubbing_ = nullptr;
  std::shared_ptr<KernelTime> fills_ = std::make_shared<KernelTime>(); // per KiB
  std::shared_ptr<KernelTime> copies_ = std::make_shared<KernelTime>();
};

} // namespace pegasus::cuda
