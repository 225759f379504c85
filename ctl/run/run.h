// SPDX-License-Identifier: Apache-2.0
// pegasus run: starts an unmodified CUDA program as a guest of a pegasusd, running or private.
#pragma once

#include "ctl/failure.h"
#include "ctl/process/private_daemon.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pegasus::ctl {

struct RunOptions {
  std::string domain;                // empty: $PEGASUS_DOMAIN, else the program's name
  std::vector<std::string> settings; // of the domain, each "key=value" of control/settings.h
  std::optional<std::string> daemon; // --daemon
  bool private_daemon = false;       // --private
  PrivateDaemonOptions of_private;
  std::vector<std::string> command; // the program and its arguments
};

inline constexpr int status_cannot_run = 125; // the status of our own failures, as of env(1) and nohup(1)

// Returns the program's exit status, 126 or 127 (the program cannot be run), 125 (Pegasus cannot run it) or 2
// (usage). Does not return if it joins a running daemon, because it then becomes the program, or if the
// program is killed by a signal, because it then ends by the same signal.
[[nodiscard]] int run_program(RunOptions const& options);

} // namespace pegasus::ctl
