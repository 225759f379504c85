// SPDX-License-Identifier: Apache-2.0
// The state of a task: conversion of the driver's results, the error that its context was lost by, and the
// pending text for the program. All parts of a context share one.
#pragma once

#include "domA/device/cuda/driver.h"
#include "domA/device/cuda/printed.h"
#include "domA/device/cuda/work_queue.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pegasus::cuda {

class TaskState {
public:
  using Status = device::Status;

  // Both must outlive this. `output_fd`: as in Options.
  TaskState(Driver const& driver, WorkQueue& queue, int output_fd)
      : driver_(driver), queue_(queue), printed_(output_fd) {}

  [[nodiscard]] Status lost() const { return lost_; } // success, or the error that lost the context
  void lose(Status error) { lost_ = error; }

  // Converts a result of the driver; tells the program once if it lost the context.
  [[nodiscard]] Status answer(CUresult result);
  // The same for a call that waited for the device: also collects the finished work and the
  // output of kernels.
  [[nodiscard]] Status synchronized(CUresult result);

  void diagnose(std::string_view text);                           // for the program
  void note(std::string text);                                    // for the operator; limited in number
  void printf_bytes(std::uint64_t most) { printf_bytes_ = most; } // CU_LIMIT_PRINTF_FIFO_SIZE
  [[nodiscard]] device::Output take_output(std::size_t bytes);
  [[nodiscard]] bool output_pending() const { return printed_.pending() || !diagnostics_.empty(); }

private:
  Driver const& driver_;
  WorkQueue& queue_;
  Printed printed_;
  std::uint64_t printf_bytes_ = 1 << 20;
  std::string diagnostics_;
  unsigned notes_left_ = 16;
  Status lost_ = Status::success;
};

} // namespace pegasus::cuda
