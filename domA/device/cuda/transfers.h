// SPDX-License-Identifier: Apache-2.0
// Copies and fills. The copy engines copy between host and device, as the worker itself does on the software
// accelerator; fills and copies within the device count as device time.
#pragma once

#include "domA/device/cuda/array_copies.h"
#include "domA/device/cuda/array_table.h"
#include "domA/device/cuda/host_reads.h"
#include "domA/device/cuda/kernel_time.h"
#include "domA/device/cuda/scrubber.h"
#include "domA/device/cuda/task_state.h"
#include "domA/device/cuda/work_queue.h"
#include "domA/device/memory/ranges.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace pegasus::cuda {

class Transfers {
public:
  using Status = device::Status;

  // All of them must outlive this object.
  Transfers(Driver const& driver, WorkQueue& queue, memory::Ranges const& ranges, TaskState& state);

  // As for the functions of device::Context. invalid_value: not all of it lies in one allocation, or in one level of an
  // array, which is only copied. not_ready, of a fill or a copy within the device: the queue has no room yet, and
  // resume() must be called until it returns something else.
  Status to_device(device::Stream*, device::Rect const& target, std::span<std::byte const> source);
  Status from_device(device::Stream*, std::span<std::byte> target, device::Rect const& source);
  Status within_device(device::Stream*, device::Rect const& target, device::Address source,
                       std::uint64_t source_pitch);
  Status fill(device::Stream*, device::Rect const& target, std::uint32_t value, std::uint32_t element_bytes);

  [[nodiscard]] bool waiting() const { return waiting_ != nullptr; }
  Status resume(device::TimeSlice const& time_slice);

  // Zeroes fresh memory, as device work that is accounted for; an array as Scrubber::scrub() does it.
  [[nodiscard]] CUresult scrub(CUdeviceptr address, std::uint64_t bytes);
  [[nodiscard]] CUresult scrub_array(std::uint64_t bytes, std::function<CUresult(CUstream)> const& zero);
  [[nodiscard]] Scrubber& scrubber() { return scrubber_; }
  [[nodiscard]] ArrayTable& arrays() { return arrays_; }

  device::HostReads host_reads();
  void finish_host_reads();
  void close() { // waits for the copies; the context must still exist
    reads_.close();
    scrubber_.close();
  }

private:
  using Copies = std::vector<CUDA_MEMCPY3D>;

  // array_transfers.cpp.
  // nullopt: it is neither in an array nor wholly in one allocation.
  [[nodiscard]] std::optional<CopyEnd> end_at(device::Rect const& rect) const;
  [[nodiscard]] CUresult submit(Copies const& copies, CUstream stream) const;
  [[nodiscard]] Status to_array(CUstream stream, device::Rect const& target,
                                std::span<std::byte const> source);
  [[nodiscard]] Status from_array(CUstream stream, std::span<std::byte> target, device::Rect const& source);
  [[nodiscard]] Status with_arrays(CUstream stream, device::Rect const& target, device::Rect const& source);
  [[nodiscard]] CUresult scrub(std::shared_ptr<KernelTime> const& time, std::uint64_t bytes,
                               std::function<CUresult()> const& submit);
  [[nodiscard]] static std::uint64_t in_kilobytes(std::uint64_t bytes) { return (bytes + 1023) / 1024; }
  // Submits an operation of the device on this number of KiB, and accounts for it.
  template <class Submit>
  [[nodiscard]] CUresult run(CUstream stream, std::shared_ptr<KernelTime> const& time,
                             std::uint64_t kilobytes, Submit const& submit) {
    if (CUresult const ordered = scrubber_.order(stream); ordered != CUDA_SUCCESS) return submitted(ordered);
    queue_.begin(stream, *time, kilobytes);
    CUresult const result = submitted(submit());
    queue_.end(time, kilobytes);
    return result;
  }
  // The same if the queue has room; otherwise it waits for resume().
  template <class Submit>
  [[nodiscard]] CUresult run_or_wait(CUstream stream, std::shared_ptr<KernelTime> const& time,
                                     std::uint64_t bytes, Submit const& submit) {
    std::uint64_t const kilobytes = in_kilobytes(bytes);
    if (!queue_.full(time->expected(kilobytes))) return run(stream, time, kilobytes, submit);
    waiting_ = [=, this](device::TimeSlice const& time_slice) {
      bool const room = queue_.wait_for_room(stream, *time, kilobytes, &time_slice);
      return room ? run(stream, time, kilobytes, submit) : CUDA_ERROR_NOT_READY;
    };
    return CUDA_ERROR_NOT_READY;
  }

  Driver const& driver_;
  WorkQueue& queue_;
  memory::Ranges const& ranges_;
  TaskState& state_;
  ArrayTable arrays_;
  HostReadQueue reads_;
  std::function<CUresult(device::TimeSlice const&)> waiting_; // what resume() does; nullptr: nothing waits
  Scrubber scrubber_;
  std::shared_ptr<KernelTime> fills_ = std::make_shared<KernelTime>(); // per KiB
  std::shared_ptr<KernelTime> copies_ = std::make_shared<KernelTime>();
};

} // namespace pegasus::cuda
