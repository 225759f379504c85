// SPDX-License-Identifier: Apache-2.0
// A process of this guest that uses the accelerator: it can be stopped and continued, and continues when this
// object is destroyed.
#pragma once

#include "nested/guest/process.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace pegasus::nested {

class Program {
public:
  // `process`: as the totals name it. In a guest of Xen that is what the task says of itself, so a process
  // that does not use CUDA is left alone.
  Program(Processes& processes, std::uint32_t process);
  Program(Program&& other) noexcept
      : number_(other.number_), name_(std::move(other.name_)), process_(std::move(other.process_)),
        stopped_(std::exchange(other.stopped_, false)) {}
  Program& operator=(Program&&) = delete;
  ~Program() { set_stopped(false); }

  [[nodiscard]] std::uint32_t process() const { return number_; }
  [[nodiscard]] std::string const& name() const {
    return name_;
  } // as `ps` shows it; "?" if it cannot be seen
  [[nodiscard]] bool stopped() const { return stopped_; }
  void set_stopped(bool stopped);

private:
  std::uint32_t number_;
  std::string name_;
  std::unique_ptr<Process> process_; // nullptr: it is left alone
  bool stopped_ = false;
};

} // namespace pegasus::nested
