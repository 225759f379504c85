// SPDX-License-Identifier: Apache-2.0
// Waits for signals that ask this process to end, or that report the end of a child. While this object exists
// these signals do not interrupt anything, so clean-up runs on every path.
#pragma once

#include "base/unique_fd.h"

#include <chrono>
#include <csignal>
#include <optional>

namespace pegasus::ctl {

struct SignalSeen {
  int number = 0;
  // the kernel sent it to the whole foreground group: our children have received it, too
  bool from_terminal = false;
};

class SignalWatch {
public:
  SignalWatch(); // blocks SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 and SIGCHLD
  SignalWatch(SignalWatch const&) = delete;
  SignalWatch& operator=(SignalWatch const&) = delete;
  ~SignalWatch();

  // Waits at most `limit` for a signal; nullopt if there was none.
  [[nodiscard]] std::optional<SignalSeen> wait(std::chrono::milliseconds limit);
  // Waits without a limit.
  [[nodiscard]] SignalSeen wait();

  [[nodiscard]] int fd() const { return signals_.get(); } // can be read when there is one
  // The signals that were blocked before: a child must start with this mask.
  [[nodiscard]] sigset_t const& original_mask() const { return original_; }

private:
  sigset_t original_{};
  base::UniqueFd signals_;
};

} // namespace pegasus::ctl
