// SPDX-License-Identifier: Apache-2.0
// A process of this guest that uses the accelerator: it can be stopped and continued, and continues when this
// object is destroyed.
#pragma once

#include "base/unique_fd.h"

#include <cstdint>
#include <string>

namespace pegasus::nested {

class Program {
public:
  // `process`: as the totals name it. In a guest of Xen that is what the task says of itself, so a process
  // that does not use CUDA is left alone.
  explicit Program(std::uint32_t process);
  Program(Program&&) = default;
  Program& operator=(Program&&) = delete;
  ~Program() { set_stopped(false); }

  [[nodiscard]] std::uint32_t process() const { return process_; }
  [[nodiscard]] std::string const& name() const {
    return name_;
  } // as `ps` shows it; "?" if it cannot be seen
  [[nodiscard]] bool stopped() const { return stopped_; }
  void set_stopped(bool stopped);

private:
  std::uint32_t process_;
  std::string name_;
  base::UniqueFd pidfd_; // of the process that was there at first, not of a later one with its number
  bool stopped_ = false;
};

} // namespace pegasus::nested
