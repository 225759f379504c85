// SPDX-License-Identifier: Apache-2.0
// A process of this guest that uses the accelerator: it can be stopped and continued, and continues when this
// object is destroyed.
#pragma once

#include "nested/guest/process.h"

#include <cstdint>
#include <memory>
#include <string>

namespace pegasus::nested {

class Program {
public:
  // `process`: as the totals name it. In a guest of Xen that is what the task says of itself, so a process
  // that does not use CUDA is left alone.
  Program(Processes& processes, std::uint32_t process);
  Program(Program&&) = delete;
  Program& operator=(Program&&) = delete;
  ~Program() { set_stopped(false); }

  [[nodiscard]] std::uint32_t process() const { return number_; }
  // As `ps` shows it: what would move the cursor is '?'. "?" if it cannot be seen.
  [[nodiscard]] std::string const& name() const { return name_; }
  // Why it is left alone, a sentence; empty if it is not.
  [[nodiscard]] std::string const& problem() const { return problem_; }
  [[nodiscard]] bool stopped() const { return stopped_; }
  void set_stopped(bool stopped);

private:
  std::uint32_t number_;
  std::string name_, problem_;
  std::unique_ptr<Process> process_; // nullptr: it is left alone
  bool stopped_ = false;
};

} // namespace pegasus::nested
