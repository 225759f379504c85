// SPDX-License-Identifier: Apache-2.0
// The state of a task: the error that its context was lost by, and the pending text for the program. All
// parts of a context share one; its address identifies the context of a stream, event or function.
#pragma once

#include "domA/device/device.h"
#include "domA/device/software/output_buffer.h"

#include <cstdint>
#include <string_view>

namespace pegasus::software {

class TaskState {
public:
  using Status = device::Status;

  TaskState() = default;
  TaskState(TaskState const&) = delete;
  TaskState& operator=(TaskState const&) = delete;

  [[nodiscard]] Status status() const { return status_; } // success, or the sticky error
  void lose(Status error) { status_ = error; }

  void diagnose(std::string_view text);                       // one line for the program
  void print(std::string_view text, std::uint64_t max_bytes); // by a kernel; `max_bytes` may be pending
  [[nodiscard]] OutputBuffer& output() { return output_; }
  [[nodiscard]] OutputBuffer const& output() const { return output_; }

private:
  Status status_ = Status::success;
  OutputBuffer output_;
};

} // namespace pegasus::software
