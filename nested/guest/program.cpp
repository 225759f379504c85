// SPDX-License-Identifier: Apache-2.0
#include "nested/guest/program.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace pegasus::nested {

Program::Program(Processes& processes, std::uint32_t process)
    : number_(process), process_(processes.open(process)) {
  int const error = errno;
  if (process_) name_ = process_->name();
  std::ranges::replace_if(
      name_, [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  if (name_.empty()) name_ = "?";
  if (process_ && process_->uses_cuda()) return;
  problem_ = "process " + std::to_string(process) + " (" + name_ + ") is not stopped: " +
             (process_ ? "it does not use CUDA, or is another user's" : std::strerror(error));
  process_.reset();
}

void Program::set_stopped(bool stopped) {
  if (!process_ || stopped == stopped_) return;
  if (process_->signal(stopped ? SIGSTOP : SIGCONT)) stopped_ = stopped;
}

} // namespace pegasus::nested
