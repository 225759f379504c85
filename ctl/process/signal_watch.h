// SPDX-License-Identifier: Apache-2.0
// The signals that ask this process to end, or tell that a child has ended, as something to wait for. While
// it lives they do not interrupt anything, so that clean-up runs on every path.
#pragma once

#include "ctl/process/file_descriptor.h"

#include <chrono>
#include <csignal>
#include <optional>

namespace pegasus::ctl {

struct SignalSeen {
  int number = 0;
  bool from_terminal =
      false; // the kernel sent it to the whole foreground group: our children have it already
};

class SignalWatch {
public:
  SignalWatch(); // blocks SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 and SIGCHLD
  SignalWatch(SignalWatch const&) = delete;
  SignalWatch& operator=(SignalWatch const&) = delete;
  ~SignalWatch();

  // Waits at most `limit` for a signal; nothing when there was none.
  [[nodiscard]] std::optional<SignalSeen> wait(std::chrono::milliseconds limit);
  // Waits as long as it takes.
  [[nodiscard]] SignalSeen wait();

  // What was blocked before: a child must start with it.
  [[nodiscard]] sigset_t const& original_mask() const { return original_; }

private:
  sigset_t original_{};
  FileDescriptor signals_;
};

} // namespace pegasus::ctl
